"""Every declared parameter set has a form that shows it and gives it back."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from designs import ALL_CASES, case_name
from PySide6.QtCore import Qt

from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.design import Custom, perturbations
from ppworkbench.core.design.presets import presets
from ppworkbench.core.design.release import ReleaseOptions
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within, declarations
from ppworkbench.core.reconstruct.estimator import estimators
from ppworkbench.gui.language import speech
from ppworkbench.gui.widgets.form import (
    ChoiceField,
    Field,
    Form,
    SliderField,
    SpinField,
    SwitchField,
    TextField,
)
from ppworkbench.study.study import StudySettings


def make_form(workbench, qtbot, params: Params) -> Form:
    form = Form(workbench.themes, type(params))
    qtbot.addWidget(form)
    form.show_params(params)
    return form


def shown_value(field: Field):
    """What a control shows, in the terms of its parameter."""
    if isinstance(field, SliderField):
        return field.slider.value
    if isinstance(field, SpinField):
        return field.box.value()
    if isinstance(field, SwitchField):
        return field.switch.isChecked()
    if isinstance(field, ChoiceField):
        return field.box.currentData()
    assert isinstance(field, TextField)
    typed = field.box.text()
    return None if not typed and field.declaration.optional else field.declaration.parse(typed)


def some_sets() -> list[Params]:
    """Presets with their defaults, perturbations of every family, and all options."""
    sets: list[Params] = [entry.item() for entry in presets]
    sets += [perturbation for _, perturbation in ALL_CASES]
    sets += [entry.item() for entry in estimators if issubclass(entry.item, Params)]
    return [*sets, ReadOptions(), WriteOptions(), ReleaseOptions(), StudySettings()]


def test_that_no_family_is_left_out():
    kinds = {type(params) for params in some_sets()}
    assert {entry.item for entry in presets} <= kinds
    assert {entry.item for entry in perturbations} <= kinds


@pytest.mark.parametrize("params", some_sets(), ids=case_name)
def test_that_a_form_shows_and_gives_back_what_it_is_given(workbench, qtbot, params):
    form = make_form(workbench, qtbot, params)
    form.show()
    for name, field in form.fields.items():
        value, shown = getattr(params, name), shown_value(field)
        if isinstance(value, float | tuple) and not isinstance(value, str):
            assert shown == pytest.approx(value, abs=0.006, rel=1e-5)
        else:
            assert shown == value
        assert field.toolTip() == field.declaration.info.help
    declared = declarations(type(params))
    assert set(form.fields) == {d.name for d in declared if d.depth <= 1 and d.info.in_forms}
    seen = []
    form.edited.connect(lambda given, gesture: seen.append(given))
    # Whoever passes through a form changes nothing.
    for field in form.fields.values():
        if isinstance(field, TextField):
            field.box.editingFinished.emit()
    assert seen == []
    for name, field in form.fields.items():
        field.edited.emit(getattr(params, name), "")
    assert all(given == params for given in seen)
    assert len(seen) == len(form.fields)
    assert form.params == params


@dataclass(frozen=True)
class Example(Params):
    """One parameter of every sort."""

    share: Annotated[float, Within(0, 1), Info("Share", "a share")] = 0.5
    percent: Annotated[float, Within(0, 100), Info("Percent", "", "%")] = 50.0
    count: Annotated[int, Within(1, 10), Info("Count")] = 3
    large: Annotated[int, Within(0, 2**63 - 1), Info("Large")] = 2**40
    on: Annotated[bool, Info("On")] = False
    word: Annotated[str, OneOf(("red", "green")), Info("Word")] = "red"
    maybe: Annotated[float | None, Within(0), Info("Maybe")] = None
    many: Annotated[tuple[float, ...], Within(0), Info("Many")] = (1 / 3, 2.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.share > 0.9 and self.on:
            raise ParameterError("A share above 0.9 cannot be on.", field="share")


@pytest.fixture
def form(workbench, qtbot):
    made = make_form(workbench, qtbot, Example())
    made.show()
    return made


@pytest.fixture
def edits(form):
    seen = []
    form.edited.connect(lambda given, gesture: seen.append(given))
    return seen


def type_into(qtbot, box, words):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, words)
    qtbot.keyClick(box, Qt.Key.Key_Return)


def test_that_each_sort_of_parameter_has_its_control(form):
    kinds = {name: type(field) for name, field in form.fields.items()}
    assert kinds == {
        "share": SliderField, "percent": SliderField, "count": SpinField, "large": TextField,
        "on": SwitchField, "word": ChoiceField, "maybe": TextField, "many": TextField,
    }  # fmt: skip


def test_that_every_control_changes_its_parameter(form, edits, qtbot):
    type_into(qtbot, form.fields["share"].slider.box, "70 %")
    assert edits[-1].share == pytest.approx(0.7)
    type_into(qtbot, form.fields["count"].box, "7")
    assert edits[-1].count == 7
    type_into(qtbot, form.fields["large"].box, str(2**62))
    assert edits[-1].large == 2**62
    qtbot.mouseClick(form.fields["on"].switch, Qt.MouseButton.LeftButton)
    assert edits[-1].on
    form.fields["word"].box.setFocus()
    qtbot.keyClick(form.fields["word"].box, Qt.Key.Key_Down)
    assert form.fields["word"].box.currentText() == "green"
    assert edits[-1].word == "green"
    type_into(qtbot, form.fields["maybe"].box, "2.5")
    assert edits[-1].maybe == 2.5
    form.fields["maybe"].box.clear()
    form.fields["maybe"].box.editingFinished.emit()
    assert edits[-1].maybe is None
    type_into(qtbot, form.fields["many"].box, "1, 2, 3")
    assert edits[-1].many == (1.0, 2.0, 3.0)
    assert form.params == edits[-1]


def test_that_numbers_are_shown_and_typed_with_a_decimal_comma(polish_numbers, form, edits, qtbot):
    assert form.fields["many"].box.text() == "0,333333; 2"
    for words, numbers in {
        "0,5; 1": (0.5, 1.0), "0,5, 0,25": (0.5, 0.25), "0.5, 2": (0.5, 2.0), "1, 2": (1.0, 2.0),
    }.items():  # fmt: skip
        type_into(qtbot, form.fields["many"].box, words)
        assert edits[-1].many == numbers
    for words in ("2,5", "2.25"):
        type_into(qtbot, form.fields["maybe"].box, words)
    assert [given.maybe for given in edits[-2:]] == [2.5, 2.25]
    type_into(qtbot, form.fields["percent"].slider.box, "12.5")
    assert edits[-1].percent == 12.5
    type_into(qtbot, form.fields["share"].slider.box, "0.25")
    assert edits[-1].share == 0.25


def test_that_a_number_is_kept_exactly_while_others_change(form, edits, qtbot):
    type_into(qtbot, form.fields["count"].box, "4")
    assert edits[-1].many == (1 / 3, 2.0)


@pytest.mark.slow
def test_that_bad_input_is_explained_beside_the_field_and_changes_nothing(form, edits, qtbot):
    type_into(qtbot, form.fields["many"].box, "1, x")
    assert edits == []
    assert form.fields["many"].problem.isVisible()
    assert "Many is “x”" in form.fields["many"].problem.text()
    type_into(qtbot, form.fields["many"].box, "1, -2")
    assert "at least 0" in form.fields["many"].problem.text()
    type_into(qtbot, form.fields["many"].box, "1, 2")
    assert not form.fields["many"].problem.isVisible()
    assert edits[-1].many == (1.0, 2.0)


def test_that_a_combination_which_cannot_be_is_explained_and_the_control_goes_back(
    form, edits, qtbot
):
    form.fields["share"].slider.slider.setValue(950)
    assert edits[-1].share == pytest.approx(0.95)
    qtbot.mouseClick(form.fields["on"].switch, Qt.MouseButton.LeftButton)
    assert not form.fields["on"].switch.isChecked()
    assert form.problem.isVisible()
    assert form.problem.text() == "A share above 0.9 cannot be on."
    form.fields["share"].slider.slider.setValue(500)
    assert not form.problem.isVisible()


def test_that_a_form_without_a_set_is_silent(workbench, qtbot):
    form = Form(workbench.themes, Example)
    qtbot.addWidget(form)
    told = []
    form.edited.connect(lambda *given: told.append(given))
    form.fields["share"].edited.emit(0.3, "")
    assert told == []


def test_that_a_matrix_is_left_to_its_own_editor(workbench, qtbot):
    form = make_form(workbench, qtbot, Custom(((0.9, 0.2), (0.1, 0.8))))
    assert form.fields == {}


def test_that_a_drag_in_a_form_is_one_gesture(form):
    gestures = []
    form.edited.connect(lambda given, gesture: gestures.append(gesture))
    slider = form.fields["share"].slider.slider
    slider.setSliderDown(True)
    for position in (510, 520, 530):
        slider.setSliderPosition(position)
    slider.setSliderDown(False)
    assert len(gestures) == 3
    assert len(set(gestures)) == 1
    assert gestures[0]


@pytest.mark.parametrize("name", [entry.name for entry in perturbations])
def test_that_the_choices_of_a_mechanism_are_translated(workbench, qtbot, name):
    speech.choose("pl")
    form = Form(workbench.themes, perturbations[name])
    qtbot.addWidget(form)
    for field in form.findChildren(ChoiceField):
        keys = [field.box.itemData(place) for place in range(field.box.count())]
        words = [field.box.itemText(place) for place in range(field.box.count())]
        # Added noise has a panel of its own.
        assert name == "additive" or not set(keys) & set(words)
