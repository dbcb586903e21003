"""Fine-tune an encoder with opposites as hard negatives, for docs/training.md: python docs/train_opposites.py FOLDER.

The sentences are made here, of templates and lists of words written for this project (CC0). No sentence of a test set
is among them. FOLDER gets the encoder, and the sentences as `triplets.tsv`.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
N, BATCH, RATE = 4000, 32, 5e-5
WORDS = {
    "P": "Amira Bruno Carla Dmitri Elena Farid Greta Hiro Ines Jonas Kofi Leila Marek Nadia Oskar Priya Ravi Selma",
    "J": "gardener pilot dentist librarian welder actor senator cook judge miner tutor painter barber vet clerk",
    "V": "help visit call follow trust answer train hire paint greet accuse thank remind question defend admire",
    "C": "Kyoto Lima Cairo Turin Dakar Perth Quito Riga Sofia Hanoi Malmo Bogota Tunis Leipzig Bergen Mumbai",
    "T": "lamp chair bottle carpet drum basket ladder printer kettle mirror bicycle tent jacket guitar wallet sofa",
    "L": "attic barn harbour kitchen cellar studio museum clinic bakery tunnel stable tower canteen chapel yard",
    "K": "yellow purple orange pink beige silver golden violet crimson turquoise round square striped tiny huge soft",
    "D": "January February March April May June July August October November December spring summer autumn winter",
    "N": "two three six seven nine eleven fifteen eighteen 14 25 40 60 75 90 130 250 600",
    "A": "warm/cold clean/dirty rough/smooth strong/weak rich/poor fast/slow deep/flat thick/thin hard/soft safe/risky "
    "cheap/dear broken/intact visible/hidden wet/dry loud/silent useful/useless common/rare light/dark sharp/blunt",
    "M": "lock/unlock raise/lower push/pull fill/empty load/unload buy/sell start/stop allow/forbid add/remove "
    "show/hide keep/discard approve/refuse expand/shrink tighten/loosen connect/disconnect save/delete",
}
EVENTS = (
    "the bell rang/the bell sounded; the guests arrived/the visitors came; the ship sailed/the boat set off; "
    "the snow melted/the snow was gone; the lights went out/it became dark; the baby fell asleep/the baby dozed off; "
    "the bread was ready/the loaf was done; the choir sang/the singers performed; the thief ran away/the robber fled; "
    "the plane landed/the plane touched down; the storm broke/bad weather set in; the vote was held/people voted"
)
TEMPLATES = """
The J1 V1ed the J2.|The J2 was V1ed by the J1.|The J1 did not V1 the J2.
The T1 in the L1 is A1.|In the L1 you find a T1 that is A1.|The T1 in the L1 is not A1.
P1 has been to C1.|P1 has visited C1 before.|P1 has never been to C1.
There is a T1 in the L1.|The L1 has a T1 in it.|There is no T1 in the L1.
P1 can M1 the T1 alone.|P1 is able to M1 the T1 without help.|P1 cannot M1 the T1 alone.
Everyone V1ed P1 in D1.|In D1 all of them V1ed P1.|Nobody V1ed P1 in D1.
The T1 in the L1 is A1.|There is a T1 in the L1 that is A1.|The T1 in the L1 is B1.
The T1 became A1 in D1.|In D1 the T1 turned A1.|The T1 became B1 in D1.
Please M1 the T1 in the L1.|Could you M1 the T1 that is in the L1?|Please W1 the T1 in the L1.
P1 wants to M1 this T1.|To M1 this T1 is what P1 would like.|P1 wants to W1 this T1.
The J1 V1ed the J2 in C1.|In C1 the J2 was V1ed by the J1.|The J2 V1ed the J1 in C1.
P1 V1ed P2 on the way.|P2 was V1ed by P1 on the way.|P2 V1ed P1 on the way.
P1 sold the T1 to P2.|P2 bought the T1 from P1.|P2 sold the T1 to P1.
The J1 earns more than the J2.|The J2 has a smaller income than the J1.|The J2 earns more than the J1.
P1 is the boss of P2.|P2 works under P1.|P2 is the boss of P1.
A K1 T1 lies next to a K2 T2.|Beside the K2 T2 there is a T1 that is K1.|A K2 T1 lies next to a K1 T2.
The J1 bought a K1 T1 and a K2 T2.|A K2 T2 and a K1 T1 were bought by the J1.|The J1 bought a K2 T1 and a K1 T2.
The T1 is A1, but the T2 is B1.|While the T2 is B1, the T1 is A1.|The T1 is B1, but the T2 is A1.
The L1 has N1 visitors a day.|Each day N1 people visit the L1.|The L1 has N2 visitors a day.
P1 ordered N1 items in D1.|In D1 an order of N1 things was placed by P1.|P1 ordered N2 items in D1.
The T1 costs N1 francs.|You pay N1 francs for the T1.|The T1 costs N2 francs.
P1 moved to C1 in D1.|In D1 C1 became the new home of P1.|P2 moved to C1 in D1.
P1 works as a J1 in C1.|P1 has a job in C1 as a J1.|P1 works as a J1 in C2.
The J1 came back in D1.|In D1 we saw the J1 again.|The J1 came back in D2.
Bring the T1 to the L1.|The T1 has to be brought to the L1.|Bring the T2 to the L1.
The parcel goes from C1 to C2.|The parcel is sent to C2, and C1 is where it starts.|The parcel goes from C2 to C1.
P1 walked from the L1 to the L2.|P1 left the L1 and went on foot to the L2.|P1 walked from the L2 to the L1.
Carry it from the L1 to the L2.|Take it out of the L1 and into the L2.|Carry it from the L2 to the L1.
E1 before e2.|First e3, then e4.|E1 after e2.
E1 after e2.|First e4, then e3.|E1 before e2.
E1, and later e2.|When e4, it was after e3.|E2, and later e1.
"""


def triplets(n: int, seed: int = 0) -> list[dict[str, str]]:
    """Make triplets: a sentence, another with its meaning, and one in nearly the same words with another meaning."""
    rng = random.Random(seed)
    templates = [line.split("|") for line in TEMPLATES.strip().splitlines()]
    made = {}
    while len(made) < n:
        slots = {}
        for letter, words in WORDS.items():
            for place, word in enumerate(rng.sample(words.split(), 2), 1):
                slots[f"{letter}{place}"], _, other = word.partition("/")
                slots[{"A": "B", "M": "W"}.get(letter, "-") + str(place)] = other
        (one, other), (two, another) = (event.split("/") for event in rng.sample(EVENTS.split("; "), 2))
        slots |= {"e1": one, "e2": two, "e3": other, "e4": another, "E1": one.capitalize(), "E2": two.capitalize()}
        texts = rng.choice(templates)
        for slot, word in slots.items():
            texts = [text.replace(slot, word) for text in texts]
        texts = [text.replace("eed ", "ed ") for text in texts]
        made[tuple(texts)] = dict(zip(("anchor", "positive", "negative"), texts, strict=True))
    return list(made.values())


def train(folder: Path) -> None:
    """Write the triplets, and the encoder trained on them, into a folder."""
    from datasets import Dataset
    from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer
    from sentence_transformers import SentenceTransformerTrainingArguments as Arguments
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    made = Dataset.from_list(triplets(N))
    made.to_csv(folder / "triplets.tsv", sep="\t", index=False)
    model = SentenceTransformer(MODEL, device="cpu")
    given = Arguments(
        output_dir=str(folder / "trainer"),
        num_train_epochs=1,
        per_device_train_batch_size=BATCH,
        learning_rate=RATE,
        warmup_steps=20,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
    )
    loss = MultipleNegativesRankingLoss(model)
    SentenceTransformerTrainer(model=model, args=given, train_dataset=made, loss=loss).train()
    model.save_pretrained(str(folder))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    train(folder)
