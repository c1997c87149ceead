"""The questions that people ask most about backward(), each with the lessons that answer it."""

from __future__ import annotations

from app.lessons.model import Lesson

# key, as lessons name it under `answers` -> the question, by language; those asked most come first
CONFUSIONS: dict[str, dict[str, str]] = {
    "which-number": {
        "en": "Which number is this gradient, and does it match what I derived by hand?",
        "zh": "这个梯度是哪个数，和我手算的对得上吗？",
    },
    "in-place": {
        "en": "What may I change in place, and why does it work sometimes?",
        "zh": "什么可以原地改？为什么有时候行，有时候不行？",
    },
    "loop-order": {
        "en": "In what order do zero_grad, backward and step go, and what does each change?",
        "zh": "zero_grad、backward、step 按什么顺序，各自改了什么？",
    },
    "nan": {
        "en": "Why is there a nan or an inf, although that branch was not taken?",
        "zh": "明明没走那个分支，为什么还是有 nan 或 inf？",
    },
    "graph-freed": {
        "en": "When is the graph freed, when do I need retain_graph; two losses: one sum or two passes?",
        "zh": "图什么时候释放，什么时候要 retain_graph；两个损失：加起来还是反向两次？",
    },
    "detach-no-grad": {
        "en": "detach, no_grad, .data, requires_grad=False: which one, for freezing, for GANs, for RNNs?",
        "zh": "detach、no_grad、.data、requires_grad=False：冻结、GAN、RNN 各该用哪个？",
    },
    "grad-none": {
        "en": "Why is .grad None, or grad_fn missing?",
        "zh": "为什么 .grad 是 None，或者没有 grad_fn？",
    },
    "second-derivatives": {
        "en": "Second derivatives, create_graph, gradient penalties: how?",
        "zh": "二阶导数、create_graph、梯度惩罚怎么做？",
    },
    "hooks": {
        "en": "How do hooks see and change gradients, and in what order?",
        "zh": "钩子怎样看到、怎样改变梯度，按什么顺序？",
    },
    "optimizer": {
        "en": "What does the optimizer really update? Momentum, Adam, None against zero?",
        "zh": "优化器到底更新了什么？动量、Adam，None 和零有什么不同？",
    },
    "gradient-argument": {
        "en": "What is backward's gradient argument, and how do I get a Jacobian?",
        "zh": "backward 的 gradient 参数是什么，怎样得到雅可比矩阵？",
    },
    "dtype-shape": {
        "en": "Shapes and dtypes: float64, integers, (N,1) against (N,), the border to NumPy?",
        "zh": "形状与类型：float64、整数、(N,1) 对 (N,)、与 NumPy 的边界？",
    },
    "accumulate": {
        "en": "Why do gradients add up, and how do I accumulate over small batches?",
        "zh": "梯度为什么会累加，怎样在小批量上累积？",
    },
    "custom-function": {
        "en": "A Function of my own: what do I save, what do I return?",
        "zh": "自定义 Function：保存什么，返回什么？",
    },
    "clipping": {
        "en": "Clipping: what is returned, and when do I call it?",
        "zh": "梯度裁剪返回什么，什么时候调用？",
    },
    "vanishing": {
        "en": "Why do gradients vanish layer by layer?",
        "zh": "梯度为什么一层一层地消失？",
    },
    "grad-fn": {
        "en": "What are grad_fn and next_functions; checkpointing; sparse gradients?",
        "zh": "grad_fn、next_functions 是什么；checkpoint 与稀疏梯度？",
    },
}


def answered(lessons: tuple[Lesson, ...], lang: str) -> list[dict]:
    """Return each question with the lessons that answer it."""
    return [
        {
            "key": key,
            "question": question[lang],
            "lessons": [
                {"url": f"/lessons/{lesson.slug}", "title": lesson.text(lang).title}
                for lesson in lessons
                if key in lesson.answers
            ],
        }
        for key, question in CONFUSIONS.items()
    ]
