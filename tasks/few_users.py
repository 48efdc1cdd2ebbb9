"""Streams of the same few users at every step, as those of a log, which training reads several times."""

import jax
from flax import struct

from tasks.click_streams import Tastes
from tasks.episode import Episode
from tasks.wrapper import Wrapper


@struct.dataclass
class FewUsers(Wrapper):
    """`task` with `users` users, whose streams `key` fixes. Those of a batch are drawn with replacement, so that an
    epoch, which is as many draws as there are users, shows each of them once in the mean."""

    task: Tastes
    key: jax.Array
    users: int = struct.field(pytree_node=False)

    def sample(self, key: jax.Array, batch: int) -> Episode:
        return self.task.streams(self.key, jax.random.randint(key, (batch,), 0, self.users))
