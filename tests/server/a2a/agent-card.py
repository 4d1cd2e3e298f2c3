"""An agent's card against the official definitions of both versions, as the package for Python carries them."""
import sys

import httpx
from a2a.compat.v0_3 import types as v03
from a2a.types import AgentCard
from google.api import field_behavior_pb2
from google.protobuf.json_format import ParseDict


def missing(message, place):
    """The required fields that a message lacks, in it and below it."""
    for field in message.DESCRIPTOR.fields:
        here = f"{place}.{field.json_name}"
        behavior = field.GetOptions().Extensions[field_behavior_pb2.field_behavior]
        value = getattr(message, field.name)
        if field_behavior_pb2.REQUIRED in behavior and not value:
            yield here
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if field.message_type is None or is_map:
            continue
        if field.is_repeated:
            for index, one in enumerate(value):
                yield from missing(one, f"{here}[{index}]")
        elif message.HasField(field.name):
            yield from missing(value, here)


def known(model, message):
    """The names of fields that either version has."""
    names = {field.alias or name for name, field in model.model_fields.items()}
    return names | {field.json_name for field in message.DESCRIPTOR.fields}


for url in sys.argv[1:]:
    card = httpx.get(url).raise_for_status().json()
    old = v03.AgentCard.model_validate(card)
    new = ParseDict(card, AgentCard(), ignore_unknown_fields=True)
    assert list(missing(new, "card")) == [], list(missing(new, "card"))
    assert set(card) <= known(v03.AgentCard, new), set(card) - known(v03.AgentCard, new)
    own = known(v03.AgentCapabilities, new.capabilities)
    assert set(card["capabilities"]) <= own, card["capabilities"]
    for skill, read in zip(card["skills"], new.skills, strict=True):
        assert set(skill) <= known(v03.AgentSkill, read), skill
    assert old.capabilities.push_notifications is False, card["capabilities"]
    assert card["capabilities"]["pushNotifications"] is False and not new.capabilities.push_notifications
    assert [one.protocol_version for one in new.supported_interfaces] == ["1.0", "0.3"], new
