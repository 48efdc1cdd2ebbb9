// Search in pages that were opened from a disk: browsers start no worker for a file, so the worker's program runs in a frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.addEventListener("answer", ({ detail }) => {
        const event = new MessageEvent("message", { data: detail });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      });
      this.frame.addEventListener("load", () => {
        const messages = this.waiting;
        this.waiting = null;
        messages.forEach((data) => this.postMessage(data));
      });
      const answer = 'self.postMessage = (detail) => frameElement.dispatchEvent(new CustomEvent("answer", { detail }));';
      const load = "self.importScripts = (...urls) => Promise.all(urls.map((url) => import(url)));";
      const program = new URL(url, document.baseURI).href;
      this.frame.srcdoc = `<script>${answer}${load}</` + `script><script src="${program}"></` + "script>";
      document.body.append(this.frame);
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
