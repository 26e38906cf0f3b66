"""The engine against plain forward passes: the same log-probabilities, whatever is cached, mixed or batched."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
import torch
from inference_helpers import ask_all, generate, lora, plain_logprobs, prompts, randomised, request
from peft import get_peft_model

from arena.errors import SnapshotError
from arena.inference.engine import LocalEngine
from arena.models.registry import BaseModel
from arena.types import Finish

MIX = (None, "one", "two", "three")


def forgetful(engine: LocalEngine) -> LocalEngine:
    """An engine with the same adapters and nothing kept."""
    made = LocalEngine(engine.base)
    made.adapters = engine.adapters
    return made


def test_logprobs_in_a_mixed_batch_equal_a_plain_forward_pass_of_peft(engine: LocalEngine, reference):
    asked = [
        request(prompt, MIX[i % 4], key=f"{i}", temperature=0.7 if i % 3 else 1.0)
        for i, prompt in enumerate(prompts([3, 60, 61, 9, 14, 120, 15, 33, 64, 7, 11, 90]))
    ]
    replies = generate(engine, *asked)
    models = {name: reference(name) for name in MIX}
    for one, reply in zip(asked, replies, strict=True):
        expected = plain_logprobs(models[one.adapter], one.prompt_ids, reply.ids, one.sampling.temperature)
        assert reply.logprobs == pytest.approx(expected, abs=1e-4)
        assert all(type(value) is float for value in reply.logprobs)
    # The adapters matter: under the base the same replies have other log-probabilities.
    other = plain_logprobs(models[None], asked[1].prompt_ids, replies[1].ids, asked[1].sampling.temperature)
    assert max(abs(a - b) for a, b in zip(other, replies[1].logprobs, strict=True)) > 0.1


def test_greedy_is_the_same_alone_and_in_a_batch_and_reports_temperature_one(engine: LocalEngine, reference):
    asked = [request(prompt, MIX[i % 4], temperature=0) for i, prompt in enumerate(prompts([5, 80, 12, 44, 43, 9]))]
    together = generate(engine, *asked)
    for one, reply in zip(asked, together, strict=True):
        (alone,) = generate(engine, one)
        assert alone.ids == reply.ids
        assert reply.logprobs == pytest.approx(
            plain_logprobs(reference(one.adapter), one.prompt_ids, reply.ids), abs=1e-4
        )
        with torch.no_grad():
            logits = reference(one.adapter)(input_ids=torch.tensor([[*one.prompt_ids, *reply.ids]])).logits[0]
        best = logits.argmax(-1)[len(one.prompt_ids) - 1 : -1].tolist()
        assert best == list(reply.ids)


def test_what_is_drawn_does_not_depend_on_the_order_of_requests(engine: LocalEngine):
    asked = [request(prompt, MIX[i % 4], key=f"{i}") for i, prompt in enumerate(prompts(range(4, 40)))]
    first = {one.stream_key: reply.ids for one, reply in zip(asked, generate(engine, *asked), strict=True)}
    shuffled = random.Random("order").sample(asked, len(asked))
    again = {one.stream_key: reply.ids for one, reply in zip(shuffled, generate(engine, *shuffled), strict=True)}
    small = LocalEngine(engine.base, max_batch=5, prefill_tokens=50)
    small.adapters = engine.adapters
    cut = {one.stream_key: reply.ids for one, reply in zip(shuffled, generate(small, *shuffled), strict=True)}
    assert first == again == cut
    assert len(set(first.values())) == len(first)  # and every request has its own stream


def test_kept_states_give_the_logprobs_of_a_new_computation(engine: LocalEngine):
    """Four turns of a conversation, with the rules shared, against an engine that keeps nothing."""
    rules = prompts([20])[0]
    for adapter in MIX:
        prompt, known = prompts([30], rules)[0], 20
        for turn in range(4):
            (kept,) = generate(engine, request(prompt, adapter, key=f"{turn}", talk=("match", 0), shared=20))
            (new,) = generate(forgetful(engine), request(prompt, adapter, key=f"{turn}"))
            assert kept.ids == new.ids
            assert kept.logprobs == pytest.approx(new.logprobs, abs=1e-5)
            assert new.cached_tokens == 0
            assert kept.cached_tokens == known
            known = len(prompt) + len(kept.ids) - 1  # the state of the last sampled token was never needed
            prompt = (*prompt, *kept.ids, *prompts([10])[0])
        engine.forget(("match", 0))
    assert engine.kv_bytes > 0


def test_a_reply_includes_its_end_and_stops_there(engine: LocalEngine):
    asked = [request(p, key=f"{i}", max_tokens=200, temperature=2.0) for i, p in enumerate(prompts([9] * 24))]
    replies = generate(engine, *asked)
    ended = [reply for reply in replies if reply.finish is Finish.STOP]
    assert ended
    for reply in ended:
        assert reply.ids[-1] in engine.eos_ids
        assert not set(reply.ids[:-1]) & engine.eos_ids
        assert len(reply.ids) == len(reply.logprobs)
    for reply in replies:
        if reply.finish is Finish.LENGTH:
            assert len(reply.ids) == 200
            assert not set(reply.ids) & engine.eos_ids


def test_long_replies_outgrow_their_buffers_and_stay_right(engine: LocalEngine, reference):
    asked = [request(p, "one", key=f"{i}", max_tokens=150, talk=i) for i, p in enumerate(prompts([10, 12, 50]))]
    for one, reply in zip(asked, generate(engine, *asked), strict=True):
        assert reply.logprobs == pytest.approx(plain_logprobs(reference("one"), one.prompt_ids, reply.ids), abs=1e-4)


def test_requests_join_rows_that_still_run(engine: LocalEngine, reference):
    """Short replies come back, and ask again, while long ones go on; nobody's draws change."""

    async def talk(number: int, turns: int, tokens: int) -> list[tuple]:
        prompt, told = prompts([12 + number])[0], []
        for turn in range(turns):
            reply = await engine.generate(
                request(prompt, MIX[number % 4], key=f"{number}/{turn}", talk=number, max_tokens=tokens)
            )
            told.append((prompt, reply))
            prompt = (*prompt, *reply.ids, 7, 8, 9)
        return told

    async def play() -> list[list[tuple]]:
        return await asyncio.gather(*(talk(i, 6, 2) for i in range(6)), *(talk(i, 1, 30) for i in (6, 7)))

    talks = asyncio.run(play())
    assert engine.stats.batches < 6 + 30
    for number, told in enumerate(talks):
        model = reference(MIX[number % 4])
        for prompt, reply in told:
            assert reply.logprobs == pytest.approx(plain_logprobs(model, prompt, reply.ids), abs=1e-4)
    short = max(reply.latency_s for told in talks[:6] for _, reply in told)
    assert short < min(reply.latency_s for told in talks[6:] for _, reply in told)


def test_statistics_count_tokens(engine: LocalEngine):
    rules = prompts([20])[0]
    asked = [
        request(p, "one", key=f"{i}", talk=i, shared=20, max_tokens=3) for i, p in enumerate(prompts([30, 25], rules))
    ]
    replies = generate(engine, *asked)
    stats = engine.stats
    assert stats.prefilled == 20 + 10 + 5  # the rules once
    assert stats.reused == 40
    assert stats.decoded == sum(len(reply.ids) for reply in replies)
    assert stats.requests == 2
    assert stats.seconds > 0
    assert stats.tokens_per_batch == (stats.prefilled + stats.decoded) / stats.batches


def test_forget_frees_memory_and_the_byte_budget_holds(base: BaseModel):
    engine = LocalEngine(base, kv_bytes=80_000)
    per_token = 2 * 2 * 2 * 8 * 4  # layers, keys and values, heads, dimension, bytes
    (reply,) = generate(engine, request(prompts([40])[0], talk="a", max_tokens=4))
    assert engine.kv_bytes == (40 + len(reply.ids) - 1) * per_token
    engine.forget("a")
    engine.forget("a")
    assert engine.kv_bytes == 0
    for i in range(12):
        generate(engine, request(prompts([60])[0], talk=i, key=f"{i}", max_tokens=4))
        assert engine.kv_bytes <= 80_000
    assert len(engine._conversations) == 80_000 // (63 * per_token)
    # The oldest was evicted, and its next turn is computed again; then it is the newest.
    prompt = (*prompts([60])[0], 5, 6)
    (old,) = generate(engine, request(prompt, talk=0, max_tokens=2))
    (new,) = generate(engine, request((*prompt, *old.ids, 7), talk=0, max_tokens=2))
    assert (old.cached_tokens, new.cached_tokens) == (0, len(prompt) + len(old.ids) - 1)


def test_a_prompt_that_does_not_continue_the_conversation_is_computed_anew(engine: LocalEngine, reference):
    first, other = prompts([20, 30])
    generate(engine, request(first, talk="m"))
    (reply,) = generate(engine, request(other, talk="m", key="x"))
    assert reply.cached_tokens == 0
    assert reply.logprobs == pytest.approx(plain_logprobs(reference(None), other, reply.ids), abs=1e-4)
    # Nor are states used under other weights than they were computed with.
    (switched,) = generate(engine, request((*other, *reply.ids), "two", talk="m", key="y"))
    assert switched.cached_tokens == 0


def test_a_trainers_adapter_is_used_as_it_is_now_and_left_alone(base: BaseModel, adapters: dict[str, Path]):
    model = get_peft_model(base.model, lora())
    randomised(model, seed=3)
    model.train()
    engine = LocalEngine(base, model=model)
    engine.add_adapter("one", adapters["one"])
    before = {name: (p.requires_grad, p.data_ptr()) for name, p in model.named_parameters()}
    prompt = prompts([25])[0]

    def both() -> list:
        return generate(
            engine,
            request(prompt, "default", key="d", talk="d", shared=10),
            request(prompt, "one", key="o"),
            request(prompt, None, key="b"),
        )

    def expected(reply, *, off: bool = False) -> list[float]:
        model.eval()
        if off:
            with model.disable_adapter():
                values = plain_logprobs(model, prompt, reply.ids)
        else:
            values = plain_logprobs(model, prompt, reply.ids)
        model.train()
        return values

    learner, frozen, plain = both()
    assert learner.logprobs == pytest.approx(expected(learner), abs=1e-4)
    assert plain.logprobs == pytest.approx(expected(plain, off=True), abs=1e-4)
    # An optimiser step later nothing computed with the old weights is used.
    optimiser = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1.0)
    model(input_ids=torch.tensor([prompt]), labels=torch.tensor([prompt])).loss.backward()
    optimiser.step()
    engine.weights_changed("default")
    assert not len(engine._conversations)
    learner2, frozen2, plain2 = both()
    assert learner2.cached_tokens == 10
    assert learner2.logprobs == pytest.approx(expected(learner2), abs=1e-4)
    assert learner2.logprobs != pytest.approx(learner.logprobs, abs=1e-2)
    for old, new in ((frozen, frozen2), (plain, plain2)):
        assert old.ids == new.ids
        assert old.logprobs == pytest.approx(new.logprobs, abs=1e-5)
    assert {name: (p.requires_grad, p.data_ptr()) for name, p in model.named_parameters()} == before
    assert model.active_adapters == ["default"]
    assert list(model.peft_config) == ["default"]
    assert all(module.training for module in model.modules())
    assert base.model.config._attn_implementation == "sdpa"


def test_sampling_runs_in_eval_mode_and_records_no_gradients(base: BaseModel):
    model = get_peft_model(base.model, lora(lora_dropout=0.5))
    randomised(model, seed=3)
    model.train()
    seen = []
    base.model.lm_head.register_forward_hook(
        lambda m, *_: seen.append((base.model.model.training, torch.is_grad_enabled()))
    )
    engine = LocalEngine(base, model=model)
    first, second = (generate(engine, request(prompts([25])[0], "default", talk=1))[0] for _ in range(2))
    assert set(seen) == {(False, False)}
    assert first.logprobs == second.logprobs  # no dropout
    assert all(module.training for module in model.modules())


def test_it_samples_from_a_model_whose_forward_trl_has_patched(base: BaseModel, reference):
    from trl.trainer.utils import add_fused_lm_head

    add_fused_lm_head(base.model)
    model = get_peft_model(base.model, lora())
    prompt = prompts([25])[0]
    (reply,) = generate(LocalEngine(base, model=model), request(prompt, "default"))
    assert reply.logprobs == pytest.approx(plain_logprobs(reference(None), prompt, reply.ids), abs=1e-4)


def test_removing_an_adapter_frees_what_was_computed_with_it(engine: LocalEngine, adapters: dict[str, Path]):
    generate(engine, request(prompts([25])[0], "one", talk=1, shared=10))
    assert engine.kv_bytes > 0
    engine.remove_adapter("one")
    assert engine.kv_bytes == 0
    with pytest.raises(SnapshotError, match="Unknown adapter 'one'"):
        generate(engine, request(prompts([25])[0], "one"))
    engine.add_adapter("one", adapters["two"])  # the name is free again, and nothing old is found under it
    (reply,) = generate(engine, request(prompts([25])[0], "one", talk=1, shared=10))
    (same,) = generate(engine, request(prompts([25])[0], "two"))
    assert reply.ids == same.ids


def test_a_request_that_cannot_be_run_fails_alone(engine: LocalEngine):
    async def ask() -> list:
        good = request(prompts([9])[0], "one")
        bad = [request(prompts([9])[0], "nobody"), request(()), request((5,), max_tokens=0)]
        return await asyncio.gather(*(engine.generate(one) for one in (good, *bad)), return_exceptions=True)

    good, unknown, empty, none = asyncio.run(ask())
    assert len(good.ids) == 8
    assert isinstance(unknown, SnapshotError)
    assert "one" in str(unknown)  # names those that exist
    assert isinstance(empty, ValueError)
    assert isinstance(none, ValueError)


def test_a_cancelled_request_leaves_and_the_others_are_answered(engine: LocalEngine):
    async def ask() -> tuple:
        tasks = [
            asyncio.create_task(engine.generate(request(p, key=f"{i}"))) for i, p in enumerate(prompts([9, 10, 11]))
        ]
        await asyncio.sleep(0)
        tasks[1].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, second, third = asyncio.run(ask())
    assert len(first.ids) == len(third.ids) == 8
    assert isinstance(second, asyncio.CancelledError)
    # A new event loop starts with a clean engine.
    assert asyncio.run(ask_all(engine, [request(prompts([9])[0], key="0")]))[0].ids == first.ids


def test_a_failing_batch_reaches_everybody_who_waits(engine: LocalEngine, monkeypatch: pytest.MonkeyPatch):
    async def ask() -> list:
        return await asyncio.gather(*(engine.generate(request(p)) for p in prompts([9, 10])), return_exceptions=True)

    def broken(*args: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(engine, "_prefill", broken)
    assert [str(error) for error in asyncio.run(ask())] == ["out of memory"] * 2
    monkeypatch.undo()
    assert all(len(reply.ids) == 8 for reply in asyncio.run(ask()))
