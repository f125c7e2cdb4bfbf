"""Adding responses from the File menu."""

from __future__ import annotations

import csv
import json

from ppworkbench.core.design.design_file import read_design
from ppworkbench.gui.responses.add_dialog import AddDialog
from ppworkbench.gui.responses.paper_dialog import PaperDialog
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.study import Study


def test_that_the_menu_opens_the_dialog_and_files_are_chosen_there(
    window, shared_data, wait_idle, dialogs
):
    folder = shared_data / "platforms"
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    design = read_design(folder / "design.json")
    asked = Questionnaire.of_design(design, Texts(texts["questions"], texts["answers"]), "en")
    window.store.open(Study("p", design=design, questionnaire=asked))
    window.menus.actions["addResponses"].trigger()
    dialog = dialogs.front(AddDialog)
    dialog.files_button.click()
    dialogs.choose(folder / "limesurvey.csv")
    wait_idle()
    assert "LimeSurvey" in dialog.platform.text()
    dialog.state.buttons["reported"].click()
    wait_idle()
    dialog.accept()
    wait_idle()
    with (folder / "answers.csv").open(encoding="utf-8", newline="") as file:
        expected = len(list(csv.reader(file))) - 1
    assert window.store.study.distorted.rows == expected


def test_that_both_entries_need_a_design(window, wait_idle, dialogs):
    actions = [window.menus.actions[name] for name in ("addResponses", "typeAnswers")]
    assert not any(action.isEnabled() for action in actions)
    window.files.open_sample("weather")
    wait_idle()
    assert all(action.isEnabled() for action in actions)
    actions[1].trigger()
    dialogs.front(PaperDialog)
    dialogs.cancel()
