"""Messages to token ids, so that a conversation only ever grows.

The prompt of a seat's next turn is its last prompt, the ids it sampled, and the tokens of what follows, token for
token. A reply is never tokenised again: text and tokens do not correspond one to one. What follows a reply is
found once per message by rendering the chat template with a marker in the reply's place. A template that rewrites
earlier turns (some drop old thoughts) is noticed; then the conversation is rendered anew and starts a new row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from arena.types import Exchange

_MARK = "\u241eREPLY\u241e"


class ChatFormat:
    """The chat template of one tokenizer."""

    def __init__(self, tokenizer: Any, eos_ids: Sequence[int]) -> None:
        self._tokenizer = tokenizer
        self.eos_ids = frozenset(eos_ids)
        self.has_system = self._renders_system()
        opening = self._render(self._opening("S", "U"))
        probe = self._render(
            [*self._opening("S", "U"), {"role": "assistant", "content": _MARK}, {"role": "user", "content": "V"}]
        )
        self.prefix_preserving = probe.startswith(opening + _MARK)
        self.system_length = lru_cache(maxsize=1024)(self._system_length_uncached)
        self._open = lru_cache(maxsize=4096)(self._open_uncached)
        self._follow = lru_cache(maxsize=65_536)(self._follow_uncached)

    def prompt_ids(self, system: str, user: str, history: Sequence[Exchange] = ()) -> tuple[int, ...]:
        """Token ids of the prompt for the next reply.

        Args:
            system: rules. user: the latest message.
            history: earlier exchanges; their sampled ids are used as they are.
        """
        if not history:
            return self._open(system, user)
        last = history[-1].completion
        if last.ids and self.prefix_preserving:
            return last.prompt_ids + last.ids + self._after(last.ids, user)
        if self.prefix_preserving and all(not exchange.completion.ids for exchange in history):
            ids = self._open(system, history[0].user)
            for exchange, following in zip(history, [*(e.user for e in history[1:]), user], strict=True):
                reply = self.reply_ids(exchange.completion.text)
                ids = ids + reply + self._after(reply, following)
            return ids
        messages = self._opening(system, history[0].user)
        for exchange, following in zip(history, [*(e.user for e in history[1:]), user], strict=True):
            messages.append({"role": "assistant", "content": exchange.completion.text})
            messages.append({"role": "user", "content": following})
        return self._encode(self._render(messages))

    def _system_length_uncached(self, system: str) -> int:
        """How many leading tokens of a prompt depend on the system text alone."""
        first = self._open(system, "a b")
        second = self._open(system, "x y z")
        return next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)

    def reply_ids(self, text: str) -> tuple[int, ...]:
        """Token ids of a reply that is given (not sampled), end of turn included."""
        return (*self._encode(text), self.end_id)

    @property
    def end_id(self) -> int:
        """The token that ends a reply, as this template writes it."""
        follow = self._follow("V")
        return next((token for token in follow if token in self.eos_ids), int(self._tokenizer.eos_token_id))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of sampled ids, special tokens removed."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))

    def _after(self, reply: tuple[int, ...], user: str) -> tuple[int, ...]:
        """Tokens between a reply and the next one; the end of turn is added only where the reply lacks it."""
        follow = self._follow(user)
        if reply and follow and reply[-1] in self.eos_ids and follow[0] in self.eos_ids:
            return follow[1:]
        return follow

    def _open_uncached(self, system: str, user: str) -> tuple[int, ...]:
        return self._encode(self._render(self._opening(system, user)))

    def _follow_uncached(self, user: str) -> tuple[int, ...]:
        messages = [*self._opening("S", "U"), {"role": "assistant", "content": _MARK}]
        text = self._render([*messages, {"role": "user", "content": user}])
        return self._encode(text.partition(_MARK)[2])

    def _opening(self, system: str, user: str) -> list[dict[str, str]]:
        if self.has_system:
            return [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return [{"role": "user", "content": f"{system}\n\n{user}"}]

    def _renders_system(self) -> bool:
        from jinja2 import TemplateError

        messages = [{"role": "system", "content": "SYSTEM-PROBE"}, {"role": "user", "content": "U"}]
        try:
            return "SYSTEM-PROBE" in self._render(messages)
        except TemplateError:  # some templates refuse a system message; the rules then lead the first user message
            return False

    def _render(self, messages: list[dict[str, str]]) -> str:
        return str(self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))

    def _encode(self, text: str) -> tuple[int, ...]:
        # The template writes BOS itself where the model wants one; adding it here would double it.
        return tuple(self._tokenizer.encode(text, add_special_tokens=False))
