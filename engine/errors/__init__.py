"""Every message PyTorch words, one function each. They say what happened and know no source lines."""

from engine.errors.bags import embedding_bag_refused  # noqa: F401
from engine.errors.devices import *  # noqa: F403
from engine.errors.graph import *  # noqa: F403
from engine.errors.operations import *  # noqa: F403
from engine.errors.standing_in import *  # noqa: F403
from engine.errors.warned import *  # noqa: F403
