"""Messages to token ids, so that a conversation only ever grows.

The prompt of a seat's next turn is its last prompt, the ids it sampled, and the tokens of what follows, token for
token. A reply is never tokenised again: text and tokens do not correspond one to one. What follows a reply is
found once per message by rendering the chat template with a marker in the reply's place. A template that rewrites
earlier turns is noticed; then the conversation is rendered anew and starts a new row.

Models that mark their thoughts will need one thing more here: `decode` splits a reply into thought and text, and where
the template drops old thoughts, `prompt_ids` takes the re-rendering path.
"""

from __future__ import annotations

import re
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
        special = {str(t) for t in tokenizer.all_special_tokens}
        special |= {str(t) for t in tokenizer.added_tokens_decoder.values() if t.special}
        self._special = re.compile("|".join(re.escape(t) for t in sorted(special, key=len, reverse=True) if len(t) > 1))
        self.has_system = self._renders_system()
        self.prefix_preserving = self._preserves_prefixes()
        self.system_length = lru_cache(maxsize=1024)(self._system_length_uncached)
        self._open = lru_cache(maxsize=2048)(self._open_uncached)
        self._follow = lru_cache(maxsize=8192)(self._follow_uncached)

    def prompt_ids(self, system: str, user: str, history: Sequence[Exchange] = ()) -> tuple[int, ...]:
        """Token ids of the prompt for the next reply.

        Args:
            system: rules.
            user: the latest message.
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
            messages.append({"role": "assistant", "content": self._words(exchange.completion.text)})
            messages.append({"role": "user", "content": self._words(following)})
        return self._encode(self._render(messages))

    def _system_length_uncached(self, system: str) -> int:
        """How many leading tokens of a prompt depend on the system text alone."""
        first = self._open(system, "a b")
        second = self._open(system, "x y z")
        return next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)

    def reply_ids(self, text: str) -> tuple[int, ...]:
        """Token ids of a reply that is given (not sampled), end of turn included."""
        return (*self._encode(self._words(text)), self.end_id)

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
        return self._encode(self._follow_text(user))

    def _follow_text(self, user: str) -> str:
        """What the template writes between a reply and the next, given the message between them."""
        messages = [*self._opening("S", "U"), {"role": "assistant", "content": _MARK}]
        return self._render([*messages, {"role": "user", "content": self._words(user)}]).partition(_MARK)[2]

    def _preserves_prefixes(self) -> bool:
        """Whether two exchanges are rendered as the opening, then what follows each reply."""
        messages = self._opening("S", "U")
        expected = self._render(messages)
        for user in ("V", "W"):
            messages += [{"role": "assistant", "content": _MARK}, {"role": "user", "content": user}]
            expected += _MARK + self._follow_text(user)
        return self._render(messages) == expected

    def _opening(self, system: str, user: str) -> list[dict[str, str]]:
        if self.has_system:
            return [
                {"role": "system", "content": self._words(system)},
                {"role": "user", "content": self._words(user)},
            ]
        return [{"role": "user", "content": self._words(f"{system}\n\n{user}")}]

    def _words(self, text: str) -> str:
        """Text in which no special token stands, so that nobody's words can end a turn or open another's."""
        return self._special.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text)

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
