#!/usr/bin/env python3
"""Golden values of every layer from PyTorch: make_layers.py FILE writes one JSON file with one layer a line.

Parameters, inputs and output weights are the waves of tests/support/golden_nn.h, so that tests/core/nn/layers_test.cc builds the same; the file
holds what the inputs are, outputs, and gradients of sum(output * wave(0.8)) in the parameters and inputs, and buffers after the step.
"""
import json
import math
import sys

import torch
from torch import nn

torch.set_default_dtype(torch.float64)


def wave(shift, shape):
    n = math.prod(shape)
    return torch.tensor([math.sin(1.3 * i + shift) for i in range(n)]).reshape(shape)


def f(*shape, shift=0.3, scale=1.0, add=0.0, constant=False):
    return {"shape": list(shape), "shift": shift, "scale": scale, "add": add, "constant": constant}


def i(values, *shape):
    return {"shape": list(shape) or [len(values)], "values": values}


def b(values, *shape):
    return {"shape": list(shape) or [len(values)], "bools": values}


def tensor_of(spec):
    if "values" in spec:
        return torch.tensor(spec["values"], dtype=torch.int64).reshape(spec["shape"])
    if "bools" in spec:
        return torch.tensor(spec["bools"], dtype=torch.bool).reshape(spec["shape"])
    x = spec["scale"] * wave(spec["shift"], spec["shape"]) + spec["add"]
    return x if spec["constant"] else x.requires_grad_()


def numbers(x):
    return [float(f"{v:.9g}") for v in x.detach().double().reshape(-1).tolist()]


def flat(outputs):
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    return [x for part in outputs if part is not None for x in flat(part)]


def run(module, inputs, call=None):
    for k, parameter in enumerate(module.parameters()):
        parameter.data = 0.5 * wave(0.1 * k + 0.2, parameter.shape)
    tensors = [tensor_of(spec) for spec in inputs]
    outputs = flat((call or module)(*tensors))
    loss = sum((x * wave(0.8, x.shape)).sum() for x in outputs if x.is_floating_point())
    if loss.requires_grad:
        loss.backward()
    return {
        "inputs": inputs,
        "outputs": [numbers(x) for x in outputs],
        "parameters": [numbers(p.grad) for p in module.parameters() if p.grad is not None],
        "gradients": [numbers(x.grad) for x in tensors if x.grad is not None],
        "buffers": [numbers(x) for x in module.buffers()],
    }


def packed(kind, **options):
    module = kind(3, 4, **options)

    def call(x, lengths):
        sequence = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        output, state = module(sequence)
        return nn.utils.rnn.pad_packed_sequence(output)[0], state

    return module, [f(5, 3, 3), i([2, 5, 3])], call


X = f(3, 4, scale=1.7)
IMAGE, VOLUME, LINE = f(2, 4, 5, 4), f(1, 4, 4, 3, 3), f(2, 4, 9)
PAIR = [f(4, 3), f(4, 3, shift=0.9)]
CLASSES = [f(4, 5), i([1, 0, 4, 2])]
SIGNS = f(4, 3, shift=0.1, scale=1e6, constant=True)
INDEX = [i([1, 0, 2, 2, 4, 1], 2, 3)]
THREE = [f(4, 3), f(4, 3, shift=0.9), f(4, 3, shift=1.7)]
PLUS_MINUS = i([1, -1, 1, 1])
ATTEND = [f(4, 2, 6), f(3, 2, 6, shift=0.5), f(3, 2, 6, shift=0.9)]
MASK = b([False, False, True, False, False, False], 2, 3)


def layers():
    yield "elu", nn.ELU(0.7), [X]
    yield "selu", nn.SELU(), [X]
    yield "hardshrink", nn.Hardshrink(0.4), [X]
    yield "hardtanh", nn.Hardtanh(-0.6, 0.8), [X]
    yield "leaky_relu", nn.LeakyReLU(0.2), [X]
    yield "log_sigmoid", nn.LogSigmoid(), [X]
    yield "softmax", nn.Softmax(1), [X]
    yield "softmin", nn.Softmin(0), [X]
    yield "log_softmax", nn.LogSoftmax(1), [X]
    yield "softmax2d", nn.Softmax2d(), [IMAGE]
    yield "prelu", nn.PReLU(), [X]
    yield "prelu_channels", nn.PReLU(4), [X]
    yield "relu", nn.ReLU(), [X]
    yield "relu6", nn.ReLU6(), [f(3, 4, scale=8)]
    yield "rrelu_eval", nn.RReLU().eval(), [X]
    yield "celu", nn.CELU(1.3), [X]
    yield "glu", nn.GLU(), [X]
    yield "gelu", nn.GELU(), [X]
    yield "gelu_tanh", nn.GELU(approximate="tanh"), [X]
    yield "silu", nn.SiLU(), [X]
    yield "mish", nn.Mish(), [X]
    yield "sigmoid", nn.Sigmoid(), [X]
    yield "softplus", nn.Softplus(2, 1.5), [X]
    yield "softshrink", nn.Softshrink(0.4), [X]
    yield "softsign", nn.Softsign(), [X]
    yield "tanh", nn.Tanh(), [X]
    yield "tanhshrink", nn.Tanhshrink(), [X]
    yield "threshold", nn.Threshold(0.3, -2), [X]

    yield "identity", nn.Identity(), [X]
    yield "linear", nn.Linear(4, 5), [X]
    yield "linear_no_bias", nn.Linear(4, 5, bias=False), [f(2, 3, 4)]
    yield "bilinear", nn.Bilinear(3, 4, 2), [f(5, 3), f(5, 4, shift=0.9)]
    yield "bilinear_no_bias", nn.Bilinear(3, 4, 2, bias=False), [f(2, 5, 3), f(2, 5, 4, shift=0.9)]
    yield "flatten", nn.Flatten(), [IMAGE]
    yield "unflatten", nn.Unflatten(1, (2, 2)), [X]
    yield "sequential", nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3), nn.Tanh(), nn.Softmax(1)), [X]

    yield "embedding", nn.Embedding(5, 3), INDEX
    yield "embedding_padding", nn.Embedding(5, 3, padding_idx=2, scale_grad_by_freq=True), INDEX
    yield "embedding_max_norm", nn.Embedding(5, 3, max_norm=0.6, norm_type=1), INDEX
    yield "embedding_bag", nn.EmbeddingBag(5, 3), INDEX
    yield "embedding_bag_sum", nn.EmbeddingBag(5, 3, mode="sum"), [i([1, 0, 2, 2, 4, 1]), i([0, 2, 2]), ]
    yield "embedding_bag_max", nn.EmbeddingBag(5, 3, mode="max", padding_idx=0), INDEX

    yield "conv1d", nn.Conv1d(4, 6, 3, stride=2, padding=1), [LINE]
    yield "conv1d_groups", nn.Conv1d(4, 6, 3, groups=2, dilation=2, bias=False), [LINE]
    yield "conv2d", nn.Conv2d(4, 3, (3, 2), stride=(2, 1), padding=(1, 0)), [IMAGE]
    yield "conv2d_same", nn.Conv2d(4, 3, (3, 2), padding="same", dilation=(1, 2)), [IMAGE]
    yield "conv2d_valid", nn.Conv2d(4, 3, 3, padding="valid"), [IMAGE]
    yield "conv2d_alone", nn.Conv2d(4, 3, 3), [f(4, 5, 4)]
    yield "conv2d_reflect", nn.Conv2d(4, 3, 3, padding=(2, 1), padding_mode="reflect"), [IMAGE]
    yield "conv2d_replicate", nn.Conv2d(4, 3, 3, padding=1, padding_mode="replicate"), [IMAGE]
    yield "conv2d_circular", nn.Conv2d(4, 3, 3, padding=1, padding_mode="circular", groups=1), [IMAGE]
    yield "conv2d_same_reflect", nn.Conv2d(4, 3, (3, 2), padding="same", padding_mode="reflect"), [IMAGE]
    yield "conv3d", nn.Conv3d(4, 2, 2, padding=1, stride=2), [VOLUME]
    yield "conv_transpose1d", nn.ConvTranspose1d(4, 3, 3, stride=2, padding=1, output_padding=1), [LINE]
    yield "conv_transpose2d", nn.ConvTranspose2d(4, 6, (3, 2), stride=2, groups=2), [IMAGE]
    yield "conv_transpose2d_dilated", nn.ConvTranspose2d(4, 2, 2, dilation=2, padding=1, bias=False), [IMAGE]
    yield "conv_transpose3d", nn.ConvTranspose3d(4, 2, 2, stride=(1, 2, 2), output_padding=(0, 1, 1)), [VOLUME]

    yield "avg_pool1d", nn.AvgPool1d(3, stride=2, padding=1, count_include_pad=False), [LINE]
    yield "avg_pool2d", nn.AvgPool2d((3, 2), stride=2, ceil_mode=True), [IMAGE]
    yield "avg_pool2d_divisor", nn.AvgPool2d(2, padding=1, divisor_override=3), [IMAGE]
    yield "avg_pool3d", nn.AvgPool3d(2), [VOLUME]
    yield "max_pool1d", nn.MaxPool1d(3, stride=2, padding=1), [LINE]
    yield "max_pool2d", nn.MaxPool2d((3, 2), stride=2, ceil_mode=True), [IMAGE]
    yield "max_pool2d_dilated", nn.MaxPool2d(2, stride=1, dilation=2), [IMAGE]
    yield "max_pool3d", nn.MaxPool3d(2), [VOLUME]
    yield "adaptive_max_pool1d", nn.AdaptiveMaxPool1d(4), [LINE]
    yield "adaptive_max_pool2d", nn.AdaptiveMaxPool2d((3, None)), [IMAGE]
    yield "adaptive_max_pool3d", nn.AdaptiveMaxPool3d(2), [VOLUME]
    yield "adaptive_avg_pool1d", nn.AdaptiveAvgPool1d(4), [LINE]
    yield "adaptive_avg_pool2d", nn.AdaptiveAvgPool2d((3, None)), [IMAGE]
    yield "adaptive_avg_pool3d", nn.AdaptiveAvgPool3d(2), [VOLUME]
    samples = torch.tensor([[[0.3, 0.6]] * 4] * 2)
    yield "fractional_max_pool2d", nn.FractionalMaxPool2d(2, output_size=(3, 2), _random_samples=samples), [IMAGE]
    samples3 = torch.tensor([[[0.3, 0.6, 0.2]] * 4])
    yield "fractional_max_pool3d", nn.FractionalMaxPool3d(2, output_size=(2, 1, 1), _random_samples=samples3), [VOLUME]
    yield "lp_pool1d", nn.LPPool1d(2, 3, stride=2), [LINE]
    yield "lp_pool2d", nn.LPPool2d(2, (2, 3)), [IMAGE]
    yield "max_unpool1d", nn.MaxUnpool1d(2), [f(1, 2, 3), i([0, 2, 5, 1, 3, 4], 1, 2, 3)]
    yield "max_unpool2d", nn.MaxUnpool2d(2), [f(1, 1, 2, 2), i([0, 3, 9, 15], 1, 1, 2, 2)]
    yield "max_unpool3d", nn.MaxUnpool3d(2), [f(1, 1, 1, 2, 2), i([0, 3, 9, 31], 1, 1, 1, 2, 2)]

    yield "reflection_pad1d", nn.ReflectionPad1d((2, 1)), [LINE]
    yield "reflection_pad2d", nn.ReflectionPad2d((1, 2, 0, 3)), [IMAGE]
    yield "reflection_pad3d", nn.ReflectionPad3d(1), [VOLUME]
    yield "replication_pad1d", nn.ReplicationPad1d((2, 1)), [LINE]
    yield "replication_pad2d", nn.ReplicationPad2d(2), [IMAGE]
    yield "replication_pad3d", nn.ReplicationPad3d(1), [VOLUME]
    yield "zero_pad2d", nn.ZeroPad2d((1, 2, 0, 3)), [IMAGE]
    yield "constant_pad1d", nn.ConstantPad1d(2, 3.5), [LINE]
    yield "constant_pad2d", nn.ConstantPad2d((1, -1, 0, 2), 0.5), [IMAGE]
    yield "constant_pad3d", nn.ConstantPad3d(1, 2), [f(1, 2, 2, 3, 2)]

    yield "batch_norm1d", nn.BatchNorm1d(4), [X]
    yield "batch_norm1d_line", nn.BatchNorm1d(4, eps=1e-3, momentum=0.3), [LINE]
    yield "batch_norm2d", nn.BatchNorm2d(4, momentum=None), [IMAGE]
    yield "batch_norm2d_eval", nn.BatchNorm2d(4).eval(), [IMAGE]
    yield "batch_norm2d_plain", nn.BatchNorm2d(4, affine=False, track_running_stats=False), [IMAGE]
    yield "batch_norm3d", nn.BatchNorm3d(4), [VOLUME]
    yield "instance_norm1d", nn.InstanceNorm1d(4), [LINE]
    yield "instance_norm2d", nn.InstanceNorm2d(4, affine=True, track_running_stats=True), [IMAGE]
    yield "instance_norm2d_eval", nn.InstanceNorm2d(4, affine=True, track_running_stats=True).eval(), [IMAGE]
    yield "instance_norm2d_alone", nn.InstanceNorm2d(4), [f(4, 5, 4)]
    yield "instance_norm3d", nn.InstanceNorm3d(4), [VOLUME]
    yield "layer_norm", nn.LayerNorm([5, 4]), [IMAGE]
    yield "layer_norm_plain", nn.LayerNorm(4, eps=1e-2, elementwise_affine=False), [X]
    yield "group_norm", nn.GroupNorm(2, 4), [IMAGE]
    yield "group_norm_plain", nn.GroupNorm(4, 4, affine=False), [LINE]
    yield "local_response_norm", nn.LocalResponseNorm(3, alpha=0.3, beta=0.6, k=1.2), [IMAGE]
    yield "local_response_norm_even", nn.LocalResponseNorm(2, alpha=0.3), [LINE]

    yield "dropout_eval", nn.Dropout().eval(), [X]
    yield "dropout2d_eval", nn.Dropout2d().eval(), [IMAGE]
    yield "dropout3d_eval", nn.Dropout3d().eval(), [VOLUME]
    yield "alpha_dropout_eval", nn.AlphaDropout().eval(), [X]
    yield "feature_alpha_dropout_eval", nn.FeatureAlphaDropout().eval(), [X]

    yield "cosine_similarity", nn.CosineSimilarity(0), PAIR
    yield "pairwise_distance", nn.PairwiseDistance(3, keepdim=True), PAIR

    probability = [f(4, 3, scale=0.4, add=0.5), f(4, 3, shift=0.9, scale=0.4, add=0.5, constant=True)]
    logit = [f(4, 3), probability[1]]
    for reduction in ("mean", "sum", "none"):
        yield f"l1_loss_{reduction}", nn.L1Loss(reduction=reduction), PAIR
        yield f"mse_loss_{reduction}", nn.MSELoss(reduction=reduction), PAIR
        yield f"smooth_l1_loss_{reduction}", nn.SmoothL1Loss(reduction=reduction, beta=0.5), PAIR
        yield f"huber_loss_{reduction}", nn.HuberLoss(reduction=reduction, delta=0.7), PAIR
        yield f"kl_div_loss_{reduction}", nn.KLDivLoss(reduction=reduction), [f(4, 3), probability[1]]
        yield f"bce_loss_{reduction}", nn.BCELoss(reduction=reduction), probability
        yield f"bce_with_logits_loss_{reduction}", nn.BCEWithLogitsLoss(reduction=reduction), logit
        yield f"hinge_embedding_loss_{reduction}", nn.HingeEmbeddingLoss(margin=0.5, reduction=reduction), [f(4), PLUS_MINUS]
        yield f"multi_margin_loss_{reduction}", nn.MultiMarginLoss(p=2, margin=0.8, reduction=reduction), CLASSES
        yield f"cosine_embedding_loss_{reduction}", nn.CosineEmbeddingLoss(margin=0.1, reduction=reduction), PAIR + [PLUS_MINUS]
        yield f"multilabel_margin_loss_{reduction}", nn.MultiLabelMarginLoss(reduction=reduction), [f(2, 3), i([2, 0, -1, 1, -1, 0], 2, 3)]
        yield f"soft_margin_loss_{reduction}", nn.SoftMarginLoss(reduction=reduction), [f(4), PLUS_MINUS]
        yield f"multilabel_soft_margin_loss_{reduction}", nn.MultiLabelSoftMarginLoss(reduction=reduction), logit
        yield f"triplet_margin_loss_{reduction}", nn.TripletMarginLoss(margin=0.7, p=3, swap=True, reduction=reduction), THREE
        yield f"triplet_margin_with_distance_loss_{reduction}", nn.TripletMarginWithDistanceLoss(margin=0.7, swap=True, reduction=reduction), THREE
        yield f"poisson_nll_loss_{reduction}", nn.PoissonNLLLoss(full=True, reduction=reduction), [f(4, 3), f(4, 3, scale=1.5, add=2, constant=True)]
        yield f"margin_ranking_loss_{reduction}", nn.MarginRankingLoss(margin=0.3, reduction=reduction), [f(4), f(4, shift=0.9), PLUS_MINUS]
        yield f"nll_loss_{reduction}", nn.NLLLoss(reduction=reduction, ignore_index=4), CLASSES
        yield f"cross_entropy_loss_{reduction}", nn.CrossEntropyLoss(reduction=reduction, label_smoothing=0.2), CLASSES
        ctc = nn.CTCLoss(reduction=reduction, blank=1)
        yield f"ctc_loss_{reduction}", ctc, [f(6, 2, 4), i([0, 2, 3, 3, 0, 2], 2, 3), i([6, 5]), i([3, 2])], \
            lambda x, *rest, ctc=ctc: ctc(x.log_softmax(2), *rest)
    weight = torch.tensor([0.5, 2.0, 1.0, 0.3, 0.9])
    yield "kl_div_loss_batchmean", nn.KLDivLoss(reduction="batchmean", log_target=True), [f(4, 3), f(4, 3, shift=0.9, constant=True)]
    yield "nll_loss_weight", nn.NLLLoss(weight=weight), [f(2, 5, 3), i([1, 0, 4, 2, 2, 3], 2, 3)]
    yield "cross_entropy_loss_weight", nn.CrossEntropyLoss(weight=weight, ignore_index=0), CLASSES
    yield "bce_with_logits_loss_weight", nn.BCEWithLogitsLoss(weight=weight[:3], pos_weight=weight[2:]), logit

    yield "fold", nn.Fold((4, 5), (2, 2), padding=1), [f(1, 8, 30)]
    yield "unfold", nn.Unfold((2, 3), dilation=(1, 2), padding=1, stride=2), [IMAGE]
    yield "pixel_shuffle", nn.PixelShuffle(2), [IMAGE]
    yield "pixel_unshuffle", nn.PixelUnshuffle(2), [f(1, 2, 4, 6)]
    yield "upsample_nearest", nn.Upsample(scale_factor=2), [f(1, 2, 3, 2)]
    yield "upsample_linear", nn.Upsample(size=7, mode="linear"), [f(1, 2, 4)]
    yield "upsample_bilinear", nn.Upsample(size=(4, 7), mode="bilinear", align_corners=True), [f(1, 2, 3, 4)]
    yield "upsample_bicubic", nn.Upsample(scale_factor=1.5, mode="bicubic"), [f(1, 1, 4, 4)]
    yield "upsample_trilinear", nn.Upsample(size=(3, 4, 2), mode="trilinear"), [f(1, 1, 2, 3, 2)]

    state, cell = f(2, 4, shift=0.7), f(2, 4, shift=1.1)
    yield "rnn_cell", nn.RNNCell(3, 4), [f(2, 3), state]
    yield "rnn_cell_relu", nn.RNNCell(3, 4, bias=False, nonlinearity="relu"), [f(2, 3)]
    yield "gru_cell", nn.GRUCell(3, 4), [f(2, 3), state]
    yield "gru_cell_no_bias", nn.GRUCell(3, 4, bias=False), [f(2, 3)]
    lstm_cell = nn.LSTMCell(3, 4)
    yield "lstm_cell", lstm_cell, [f(2, 3), state, cell], lambda x, h, c: lstm_cell(x, (h, c))
    yield "lstm_cell_no_bias", nn.LSTMCell(3, 4, bias=False), [f(2, 3)]
    yield "rnn", nn.RNN(3, 4), [f(5, 2, 3), f(1, 2, 4, shift=0.7)]
    yield "rnn_relu", nn.RNN(3, 4, num_layers=2, nonlinearity="relu", bias=False, batch_first=True, bidirectional=True), [f(2, 5, 3)]
    yield "gru", nn.GRU(3, 4, num_layers=2), [f(5, 2, 3), f(2, 2, 4, shift=0.7)]
    yield "gru_both_ways", nn.GRU(3, 4, bidirectional=True, batch_first=True), [f(2, 5, 3)]
    lstm = nn.LSTM(3, 4, num_layers=2)
    yield "lstm", lstm, [f(5, 2, 3), f(2, 2, 4, shift=0.7), f(2, 2, 4, shift=1.1)], lambda x, h, c: lstm(x, (h, c))
    yield "lstm_both_ways", nn.LSTM(3, 4, bidirectional=True, batch_first=True, bias=False), [f(2, 5, 3)]
    yield "lstm_projected", nn.LSTM(3, 4, proj_size=2, num_layers=2), [f(5, 2, 3)]
    yield ("rnn_packed", *packed(nn.RNN))
    yield ("gru_packed", *packed(nn.GRU, bidirectional=True))
    yield ("lstm_packed", *packed(nn.LSTM, num_layers=2))

    yield "multihead_attention", nn.MultiheadAttention(6, 2), ATTEND
    own = nn.MultiheadAttention(6, 3, bias=False)
    yield "multihead_attention_own", own, [f(4, 2, 6)], lambda x: own(x, x, x)
    more = nn.MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True, kdim=5, vdim=3)
    yield "multihead_attention_more", more, [f(4, 2, 6), f(3, 2, 5), f(3, 2, 3), MASK, f(4, 3, shift=0.6, constant=True)], \
        lambda q, k, v, padding, mask: more(q, k, v, key_padding_mask=padding, attn_mask=mask)
    hidden = [MASK, f(4, 3, shift=0.6, constant=True)]
    masked = nn.MultiheadAttention(6, 2)
    yield "multihead_attention_hidden", masked, ATTEND + hidden[:1], lambda q, k, v, padding: masked(q, k, v, key_padding_mask=padding, need_weights=False)[0]
    yield "multihead_attention_masked", masked, ATTEND + hidden, \
        lambda q, k, v, padding, mask: masked(q, k, v, key_padding_mask=padding, need_weights=False, attn_mask=mask)[0]
    no_dropout = {"dropout": 0.0}
    yield "transformer_encoder_layer", nn.TransformerEncoderLayer(6, 2, 8, **no_dropout), [f(4, 2, 6)]
    yield "transformer_encoder_layer_gelu", nn.TransformerEncoderLayer(6, 2, 8, activation="gelu", **no_dropout), [f(4, 2, 6)]
    yield "transformer_decoder_layer", nn.TransformerDecoderLayer(6, 2, 8, **no_dropout), [f(4, 2, 6), f(3, 2, 6, shift=0.5)]
    yield "transformer_encoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, **no_dropout), 2, nn.LayerNorm(6)), \
        [f(4, 2, 6), f(4, 4, shift=0.6, constant=True)]
    yield "transformer_decoder", nn.TransformerDecoder(nn.TransformerDecoderLayer(6, 2, 8, **no_dropout), 2), [f(4, 2, 6), f(3, 2, 6, shift=0.5)]
    yield "transformer", nn.Transformer(6, 2, 1, 1, 8, **no_dropout), [f(4, 2, 6), f(3, 2, 6, shift=0.5)]
    adaptive = nn.AdaptiveLogSoftmaxWithLoss(8, 10, [4, 7], div_value=2.0)
    yield "adaptive_log_softmax_with_loss", adaptive, [f(5, 8), i([0, 5, 9, 3, 7])], lambda x, y: adaptive(x, y).output
    yield "adaptive_log_prob", adaptive, [f(5, 8)], adaptive.log_prob


def main():
    entries = {}
    for name, module, inputs, *call in layers():
        module.zero_grad()
        try:
            entries[name] = run(module.double(), inputs, *call)
        except Exception as error:
            sys.exit(f"{name}: {error}")
    with open(sys.argv[1], "w") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in entries.items()) + "\n}\n")


if __name__ == "__main__":
    main()
