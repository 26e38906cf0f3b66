"""A tiny model of words that answers Kuhn poker legally about half the time: enough to run everything for real."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

ANSWERS = ("[check]", "[bet]", "[fold]", "[call]")
TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}> {{ m.content }} {% if m.role == 'assistant' %}<eos> {% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<assistant> {% endif %}"
)


def build_tiny(folder: Path) -> None:
    """A word tokenizer over Kuhn poker's prompts and a two-layer Llama, briefly taught to end answers."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    from arena.prompts import system_prompt
    from games import get_game

    game = get_game("kuhn_poker")
    text = " ".join(system_prompt(game, seat) for seat in (0, 1))
    extra = "Player 0 1 checks. bets. folds. calls. Your card: Jack. Queen. King."
    specials = ["<pad>", "<eos>", "<unk>", "<system>", "<user>", "<assistant>"]
    words = [*specials, *ANSWERS, *sorted({*text.split(), *extra.split()} - set(ANSWERS))]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", chat_template=TEMPLATE
    )
    fast.save_pretrained(folder)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(words),
                hidden_size=32,
                intermediate_size=48,
                num_hidden_layers=2,
                num_attention_heads=2,
                num_key_value_heads=1,
                max_position_embeddings=512,
                eos_token_id=1,
                pad_token_id=0,
                bos_token_id=None,
                tie_word_embeddings=True,
            )
        )
    rng = random.Random("tiny")
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    first = len(specials)
    for _ in range(200):
        length = rng.randrange(
            6, 120
        )  # as long as real prompts are: what to say after a short one would not carry over
        rows = [
            [*(rng.randrange(2, len(words)) for _ in range(length)), 5, first + rng.randrange(len(ANSWERS)), 1]
            for _ in range(32)
        ]
        ids = torch.tensor(rows)
        labels = ids.clone()
        labels[:, :-2] = -100
        loss = model(input_ids=ids, labels=labels).loss
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
    model.save_pretrained(folder)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Folder of the tiny model."""
    folder = tmp_path_factory.mktemp("tiny")
    build_tiny(folder)
    return str(folder)
