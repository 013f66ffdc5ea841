"""Small sequence networks: trained with JAX, kept as integers.

The architecture is that of `crates/extract/src/fusion/model/network.rs`.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import jax.numpy as jnp
import numpy as np

# Pages are padded to one of these lengths. In training, longer pages are cut.
LENGTHS = [32, 64, 128, 256, 512, 1024, 2048]
BLOCKS_A_STEP = 4096
# The most pages of a step. Many short pages would count no more together than two long ones.
PAGES_A_STEP = 24
LARGEST_INPUT = 4.0
SETTINGS = {"rate": 3e-3, "decay": 0.02}


# ---- training ----

def _pages_a_step(length, most):
    return min(BLOCKS_A_STEP // length, most)


def _batches(dump, pages, random, most):
    """Batches of at most so many pages of about the same length, in random order: (length, [(first block, blocks, page)])."""
    by_length = {}
    for page in pages:
        first, left = int(dump.start[page]), int(dump.size[page])
        while left > 0:
            size = min(left, LENGTHS[-1])
            length = next(length for length in LENGTHS if length >= size)
            by_length.setdefault(length, []).append((first, size, page))
            first, left = first + size, left - size
    batches = []
    for length, pieces in sorted(by_length.items()):
        pieces = [pieces[i] for i in random.permutation(len(pieces))]
        count = _pages_a_step(length, most)
        batches += [(length, pieces[i:i + count]) for i in range(0, len(pieces), count)]
    return [batches[i] for i in random.permutation(len(batches))]


def _padded(length, pieces, most):
    """The blocks of a batch, and which places are blocks and not padding."""
    count = _pages_a_step(length, most)
    rows, mask = np.zeros((count, length), np.int32), np.zeros((count, length), np.float32)
    for i, (first, size, _) in enumerate(pieces):
        rows[i, :size] = np.arange(first, first + size)
        mask[i, :size] = 1
    return rows, mask


def _initial(random, inputs, width, layers):
    def matrix(rows, columns, scale=1.0):
        return jnp.asarray(random.standard_normal((rows, columns)) * scale / np.sqrt(rows), jnp.float32)

    return {
        "first": matrix(inputs, width), "first_bias": jnp.zeros(width),
        "layers": [{
            "taps": matrix(3 * width, 2 * width), "bias": jnp.zeros(2 * width),
            "page": matrix(2 * width, 2 * width, 0.5), "back": matrix(width, width, 0.5),
        } for _ in range(layers)],
        "last": matrix(2 * width, width), "last_bias": jnp.zeros(width),
        "logit": matrix(width, 1, 0.1), "logit_bias": -jnp.ones(1),
    }


def _shifted(x, by):
    if abs(by) >= x.shape[1]:
        return jnp.zeros_like(x)
    if by > 0:
        return jnp.pad(x, ((0, 0), (by, 0), (0, 0)))[:, :-by]
    return jnp.pad(x, ((0, 0), (0, -by), (0, 0)))[:, -by:]


def _forward(weights, x, mask, block_weight):
    """Logits of blocks, in floats. `x` has pages, blocks, inputs."""
    is_block = mask[..., None]
    share = block_weight * mask
    share = (share / jnp.maximum(share.sum(1, keepdims=True), 1e-6))[..., None]
    h = h0 = jax.nn.relu(x @ weights["first"] + weights["first_bias"]) * is_block
    for number, layer in enumerate(weights["layers"]):
        z = h * jax.lax.rsqrt((h * h).mean(-1, keepdims=True) + 2.0**-16)
        page = jnp.concatenate([(z * share).sum(1), jnp.where(is_block > 0, z, -1e9).max(1)], -1)
        taps = jnp.concatenate([_shifted(z, 1 << number), z, _shifted(z, -1 << number)], -1)
        y = taps @ layer["taps"] + layer["bias"] + (page @ layer["page"])[:, None]
        value, gate = jnp.split(y, 2, -1)
        h = h + (value * jnp.clip(0.5 + gate / 4, 0, 1)) @ layer["back"] * is_block
    o = jax.nn.relu(jnp.concatenate([h, h0], -1) @ weights["last"] + weights["last_bias"])
    return (o @ weights["logit"] + weights["logit_bias"])[..., 0]


def _loss(weights, x, mask, label, block_weight, tokens, is_page, hyper, key):
    """Half cross-entropy, half the loss of the page's soft F1. Inputs are dropped for whole pages."""
    left = jax.random.bernoulli(key, 1 - hyper["dropout"], (len(x), 1, x.shape[2]))
    s = _forward(weights, x * left / (1 - hyper["dropout"]), mask, block_weight)
    entropy = (jnp.maximum(s, 0) - s * label + jnp.log1p(jnp.exp(-jnp.abs(s)))) * block_weight * mask
    p = jax.nn.sigmoid(s) * mask
    right, kept, truth = (p * tokens * label).sum(1), (p * tokens).sum(1), (label * tokens * mask).sum(1)
    missed = jnp.where(truth > 0, 1 - 2 * right / jnp.maximum(kept + truth, 1.0), jnp.minimum(kept / 50, 1.0))
    return ((entropy.sum(1) + missed) / 2 * is_page).sum() / is_page.sum()


@jax.jit
def _step(state, features, rows, mask, targets, is_page, hyper, key):
    """One step of AdamW with a clipped gradient and a cosine schedule."""
    weights, mean, square, t = state
    x = jnp.clip((features[rows].astype(jnp.float32) - hyper["mean"]) * hyper["scale"], -LARGEST_INPUT, LARGEST_INPUT)
    label, block_weight, tokens = targets[0], targets[1], targets[2]
    loss, gradient = jax.value_and_grad(_loss)(
        weights, x * mask[..., None], mask, label, block_weight, tokens, is_page, hyper, key)
    tree = jax.tree_util.tree_map
    norm = jnp.sqrt(sum((g * g).sum() for g in jax.tree_util.tree_leaves(gradient)))
    gradient = tree(lambda g: g * jnp.minimum(1.0, 1 / (norm + 1e-9)), gradient)
    t = t + 1
    mean = tree(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    square = tree(lambda v, g: 0.99 * v + 0.01 * g * g, square, gradient)
    done = t / hyper["steps"]
    cosine = 0.01 + 0.99 * 0.5 * (1 + jnp.cos(jnp.pi * (done - 0.1) / 0.9))
    rate = hyper["rate"] * jnp.where(done < 0.1, done / 0.1, cosine)

    def update(w, m, v):
        by = m / (1 - 0.9**t) / (jnp.sqrt(v / (1 - 0.99**t)) + 1e-8)
        return jnp.clip(w - rate * (by + hyper["decay"] * w * (w.ndim > 1)), -7.9, 7.9)

    weights = tree(update, weights, mean, square)
    return (weights, mean, square, t), loss


_DEVICE = {}


def _on_device(dump):
    """The features for JAX."""
    if id(dump) not in _DEVICE:
        _DEVICE[id(dump)] = jnp.asarray(dump.features)
    return _DEVICE[id(dump)]


def _hyper(dropout, mean, scale, steps, rate):
    return {
        "dropout": jnp.float32(dropout), "mean": jnp.asarray(mean, jnp.float32), "steps": jnp.float32(steps),
        "scale": jnp.asarray(scale / 65536, jnp.float32), "rate": jnp.float32(rate), "decay": jnp.float32(SETTINGS["decay"]),
    }


def _descend(dump, pages, weights, hyper, epochs, seed, random, most):
    """Trains weights on pages."""
    features = _on_device(dump)
    zero = jax.tree_util.tree_map(jnp.zeros_like, weights)
    state = (weights, zero, zero, jnp.float32(0))
    targets = np.stack([dump.label, dump.weight, dump.tokens]).astype(np.float32)
    key = jax.random.PRNGKey(seed)
    for _ in range(epochs):
        for length, pieces in _batches(dump, pages, random, most):
            key, own_key = jax.random.split(key)
            rows, mask = _padded(length, pieces, most)
            is_page = (np.arange(len(rows)) < len(pieces)).astype(np.float32)
            state, _ = _step(state, features, rows, mask, targets[:, rows] * mask, is_page, hyper, own_key)
    return jax.tree_util.tree_map(np.asarray, state[0])


def train(dump, pages, late, width, layers, epochs, late_epochs, late_rate, dropout, seed=0):
    """Trains a network on pages, and then on these and the late ones. `dropout` is the share of the inputs that a page does not
    see."""
    network = _train(dump, pages, width, layers, epochs, dropout, seed)
    if not len(late):
        return network
    return _train_on(dump, np.concatenate([pages, late]), network, late_epochs, dropout, late_rate, seed)


def _train(dump, pages, width, layers, epochs, dropout, seed):
    random = np.random.RandomState(1000 + seed)
    rows = dump.rows(pages)
    weight = dump.weight[rows] / dump.weight[rows].sum()
    own = dump.features[rows].astype(np.float32)
    mean = np.rint(weight @ own)
    deviation = np.sqrt(weight @ (own - mean) ** 2)
    # What the model file can hold: 16 bits without a sign.
    scale = np.clip(np.rint(65536 / np.maximum(deviation, 2)), 1, 65535)
    steps = epochs * len(_batches(dump, pages, np.random.RandomState(0), BLOCKS_A_STEP))
    hyper = _hyper(dropout, mean, scale, steps, SETTINGS["rate"])
    weights = _initial(random, own.shape[1], width, layers)
    weights = _descend(dump, pages, weights, hyper, epochs, seed, random, BLOCKS_A_STEP)
    return Network(range(own.shape[1]), mean, scale, weights)


def _train_on(dump, pages, network, epochs, dropout, rate, seed):
    """Trains a network further, on other pages."""
    random = np.random.RandomState(2000 + seed)
    steps = epochs * len(_batches(dump, pages, np.random.RandomState(0), PAGES_A_STEP))
    hyper = _hyper(dropout, network.mean, network.scale, steps, rate)
    weights = _descend(dump, pages, network.floats(), hyper, epochs, seed, random, PAGES_A_STEP)
    return Network(network.columns, network.mean, network.scale, weights)


# ---- integers ----

LARGEST = 8191


def _weights(matrix):
    """A matrix in units of 2^-12, a row an output."""
    return np.clip(np.rint(np.asarray(matrix, np.float64).T * 4096), -32767, 32767)


def _biases(biases):
    return np.rint(np.asarray(biases, np.float64) * 2**20)


def _dense(matrix, x, biases):
    """All numbers are integers below 2^53, so doubles are exact."""
    return np.clip(np.floor((x @ matrix.T + biases + 2048) / 4096), -LARGEST, LARGEST)


class Network:
    """A network in the integers of the model file."""

    def __init__(self, columns, mean, scale, weights):
        self.columns = list(columns)
        self.mean, self.scale = mean.astype(np.float64), scale.astype(np.float64)
        self.first, self.first_bias = _weights(weights["first"]), _biases(weights["first_bias"])
        self.layers = [(_weights(layer["taps"]), _biases(layer["bias"]), _weights(layer["page"]),
                        _weights(layer["back"])) for layer in weights["layers"]]
        self.last, self.last_bias = _weights(weights["last"]), _biases(weights["last_bias"])
        self.logit, self.logit_bias = _weights(weights["logit"])[0], _biases(weights["logit_bias"])[0]
        self._check()

    def floats(self):
        """The weights as they are trained."""
        matrix = lambda integers: jnp.asarray(integers.T / 4096, jnp.float32)
        bias = lambda integers: jnp.asarray(integers / 2**20, jnp.float32)
        return {
            "first": matrix(self.first), "first_bias": bias(self.first_bias),
            "layers": [{"taps": matrix(taps), "bias": bias(biases), "page": matrix(page), "back": matrix(back)}
                       for taps, biases, page, back in self.layers],
            "last": matrix(self.last), "last_bias": bias(self.last_bias),
            "logit": matrix(self.logit[None]), "logit_bias": bias(np.array([self.logit_bias])),
        }

    @property
    def width(self):
        return len(self.first)

    def _check(self):
        """The bounds that the extractor's reader states."""
        both = [(np.hstack([taps, page]), 2304, bias) for taps, bias, page, _ in self.layers]
        both += [(back, LARGEST, np.zeros(1)) for _, _, _, back in self.layers]
        both += [(self.first, 1024, self.first_bias), (self.last, LARGEST, self.last_bias),
                 (self.logit[None], LARGEST, np.array([self.logit_bias]))]
        for matrix, bound, bias in both:
            if (np.abs(matrix).sum(1) * bound + np.abs(bias) + 2048).max() > 2**31 - 1:
                raise ValueError("the network has weights whose sums could be too large")

    def logits(self, dump, pages):
        """Logits of the blocks of these pages in units of 2^-12, in order."""
        rows = np.concatenate([np.arange(dump.start[p], dump.start[p] + dump.size[p]) for p in pages] or [[]])
        rows = rows.astype(np.int64)
        x = dump.features[rows][:, self.columns].astype(np.float64)
        x = np.clip(x - self.mean, -32768, 32767) * self.scale
        h0 = np.clip(_dense(self.first, np.clip(np.floor((x + 128) / 256), -1024, 1024), self.first_bias), 0, None)
        ends = np.cumsum(dump.size[pages])
        starts = ends - dump.size[pages]
        some = np.flatnonzero(dump.size[pages] > 0)
        number = np.repeat(np.arange(len(pages)), dump.size[pages])
        weight = np.minimum(np.floor(np.sqrt((dump.words[rows] + 1.0) * 256)), 32767)[:, None]
        h = h0
        for layer, (taps, bias, page, back) in enumerate(self.layers):
            mean = np.floor((h * h).sum(1, keepdims=True) * 65536 / self.width) + 65536
            z = np.floor((h * np.floor(2.0**32 / np.floor(np.sqrt(mean))) + 32768) / 65536)
            whole = np.zeros((len(pages), 2 * self.width))
            if len(some):
                sums, total = np.add.reduceat(z * weight, starts[some]), np.add.reduceat(weight, starts[some])
                whole[some] = np.hstack([np.floor((2 * sums + total) / (2 * total)), np.maximum.reduceat(z, starts[some])])
            distance = 1 << layer
            at = np.arange(len(rows))
            around = []
            for other in (at - distance, at, at + distance):
                inside = (other >= starts[number]) & (other < ends[number])
                around.append(np.where(inside[:, None], z[np.where(inside, other, at)], 0))
            y = _dense(taps, np.hstack(around), bias + (whole @ page.T)[number])
            value, gate = y[:, :self.width], y[:, self.width:]
            gated = np.floor(value * np.clip(np.floor(gate / 4) + 128, 0, 256) / 256)
            # What a layer adds is rounded, and clamped only after it was added.
            h = np.clip(h + np.floor((gated @ back.T + 2048) / 4096), -LARGEST, LARGEST)
        o = np.clip(_dense(self.last, np.hstack([h, h0]), self.last_bias), 0, None)
        return np.floor((o @ self.logit + self.logit_bias) / 256).astype(np.int64)
