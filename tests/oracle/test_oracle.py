"""Our engine against the recordings of PyTorch 2.13 in cases/: values, graph, order, flow, saved, text."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracle.observing import ALL, CASES, HANG

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "oracle"

# The cases that agree whole, in all six groups, and must stay so. One that comes to agree belongs here.
MUST_PASS = [
    "e01_basic_chain",
    "e02_diamond_accumulation_order",
    "e03_accumulate_ties",
    "e04_accumulate_runs_asap",
    "e05_grad_accumulates",
    "e06_retain_graph",
    "e07_second_backward_without_saved",
    "e08_second_backward_scalar_mul",
    "e09_partially_freed_graph",
    "e10_inplace_version_error",
    "e11_inplace_version_error_leaf",
    "e12_inplace_errors",
    "e13_inplace_ok",
    "e14_view_inplace_copyslices",
    "e15_base_inplace_regenerates_view",
    "e16_setitem",
    "e17_hooks_nonleaf_order",
    "e18_hooks_leaf_order",
    "e19_hooks_and_grad_api",
    "e20_retain_grad",
    "e21_undefined_grads",
    "e22_inputs_pruning",
    "e23_grad_api",
    "e24_grad_wrt_intermediate_twice",
    "e25_is_grads_batched",
    "e26_nonscalar_backward",
    "e27_backward_errors",
    "e28_multiple_roots",
    "e29_create_graph",
    "e30_backward_create_graph",
    "e31_gradient_penalty",
    "e32_grad_modes",
    "e33_detach_cuts",
    "e34_custom_function",
    "e35_custom_function_errors",
    "e36_custom_function_ctx",
    "e37_anomaly",
    "e38_checkpoint_nonreentrant",
    "e39_checkpoint_reentrant",
    "e40_reentrant_backward_in_function",
    "e41_sparse_embedding",
    "e42_dense_embedding",
    "e43_clip_grad",
    "e44_zero_grad",
    "e45_training_loop_mlp",
    "e46_broadcast_reduce",
    "e47_dtype_mixing",
    "e48_saved_tensors_hooks",
    "e49_leaf_is_root",
    "e50_layout_of_grad",
    "e51_shared_leaf_weight_tying",
    "e52_rnn_unrolled",
    "e53_hessian_functional",
    "e54_error_inside_backward_stops",
    "e55_step_then_old_graph",
    "e56_no_grad_view_invalid",
    "e57_multi_output_ops",
    "e58_gradient_edge",
    "e59_checkpoint_reentrant_closure",
    "e60_checkpoint_nonreentrant_early_stop",
    "o_adagrad",
    "o_adam",
    "o_adam_wd_amsgrad",
    "o_adamw",
    "o_rmsprop",
    "o_rmsprop_centered_momentum",
    "o_sgd",
    "o_sgd_dampening_maximize",
    "o_sgd_momentum",
    "o_sgd_nesterov_wd",
    "p_activations",
    "p_arithmetic",
    "p_binary",
    "p_indexing",
    "p_inplace",
    "p_layers",
    "p_losses",
    "p_matmul",
    "p_pow",
    "p_reductions",
    "p_shapes",
    "p_unary",
    "r01_repr",
    "r02_promotion",
    "r03_optimizer_repr",
    "x01_errors",
]


@pytest.mark.parametrize("name", MUST_PASS)
def test_agrees_whole_with_pytorch(name: str, disagreements):
    assert disagreements[name] == {}


def test_the_table_names_every_case_that_agrees(disagreements):
    whole = [name for name in ALL if name not in MUST_PASS and not disagreements[name]]
    assert not whole, (
        f"these agree whole now; add them to MUST_PASS in {Path(__file__).name}: {' '.join(whole)}"
    )


def test_the_table_names_only_cases_that_exist():
    assert set(MUST_PASS) <= set(ALL)
    assert all((CASES / f"{name}.py").is_file() for name in ALL)


if SHARED.is_dir():  # where the tool that came with the recordings lies beside the project

    def test_the_shared_comparison_agrees_with_ours(tmp_path: Path):
        """The same cases, each run by the command `python -m engine.observe`."""
        for name in MUST_PASS:
            for ending in (".py", ".json"):
                shutil.copy(SHARED / "cases" / (name + ending), tmp_path)
        command = [
            sys.executable,
            str(SHARED / "compare.py"),
            str(tmp_path),
            sys.executable,
            "-m",
            "engine.observe",
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANG * 5)
        assert done.returncode == 0, done.stdout + done.stderr
