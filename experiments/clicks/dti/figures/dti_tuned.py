"""Fine-tuned with the settings that were chosen for each scheme: is DTI as good as sliding windows [DTI]?

Other seeds chose them, on other users, among 8 to 72 settings of each scheme (`dti_fair`, until revision e5b8bd5f).
"""

from matplotlib.figure import Figure

from analysis.figures import style
from experiments.clicks.dti.drawing import draw_ends
from experiments.clicks.dti.results.schemes import TUNED
from lab.runs.directory import RunDirectory

CAPTION = (
    "AUC minus that of the Bayes-optimal answer from a window to the same users: on sliding windows (filled) and on "
    "prompts as in training (open), bars are two standard errors over seeds. Each way of fine-tuning has the settings "
    "that other seeds have chosen for it on other users, and below them twice as many steps."
)
NEEDS_POINTS = True


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 1, width=8, height=5)
    draw_ends(axes[0, 0], directory)
    return figure


CLAIMS = TUNED
