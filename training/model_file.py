"""Writes model files. Their format is described in `crates/extract/src/fusion/model/mod.rs`."""

import struct

import numpy as np
import xxhash


def _i16(numbers):
    if np.abs(numbers).max(initial=0) > 32767:
        raise ValueError("a number of the model does not fit in 16 bits")
    return np.asarray(numbers).astype("<i2").tobytes()


def _i32(numbers):
    return np.asarray(numbers).astype("<i4").tobytes()


def _trees(trees):
    out = struct.pack("<H", len(trees.columns)) + np.asarray(trees.columns).astype("<u2").tobytes()
    out += struct.pack("<Hi", len(trees.trees), trees.bias)
    for nodes, leaves in trees.trees:
        out += bytes([len(nodes)])
        out += b"".join(struct.pack("<HhH", *node) for node in nodes)
        out += bytes([len(leaves)]) + _i16(leaves)
    return out


def _network(network):
    out = struct.pack("<BBHB", network.width, len(network.layers), len(network.columns), 1)
    for column, mean, scale in zip(network.columns, network.mean, network.scale):
        out += struct.pack("<HhH", column, int(mean), int(scale))
    out += _i16(network.first) + _i32(network.first_bias)
    for taps, bias, page, back in network.layers:
        out += _i16(taps) + _i32(bias) + _i16(page) + _i16(back)
    return out + _i16(network.last) + _i32(network.last_bias) + _i16(network.logit) + _i32([network.logit_bias])


def write(features_hash, trees, networks, mixture, rule, knots):
    """The bytes of a model. `mixture` has the weights of the scorers in units of 2^-10, and the bias in 2^-12."""
    weights, bias = mixture
    sections = [(b"TREE", _trees(trees))] if trees else []
    sections += [(b"NETW", _network(network)) for network in networks]
    sections.append((b"MIXT", bytes([len(weights)]) + _i16(weights) + struct.pack("<i", bias)))
    sections.append((b"RULE", struct.pack(
        "<IHHH", rule["least_words"], rule["least_probability"], rule["copy_words"], rule["spread"])))
    sections.append((b"CALI", struct.pack("<H", len(knots)) + np.asarray(knots).astype("<u2").tobytes()))
    body = b"".join(tag + struct.pack("<I", len(payload)) + payload for tag, payload in sections)
    head = b"DHFUSION" + struct.pack("<IQI", 1, features_hash, 8 + 16 + 4 + len(body) + 8)
    whole = head + struct.pack("<I", len(sections)) + body
    return whole + struct.pack("<Q", xxhash.xxh3_64_intdigest(whole))
