"""What people use to randomise: the line below a mechanism, the dialog that chooses, and cards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from ppworkbench.analyses.designs.design import belief_of, report_of
from ppworkbench.analyses.designs.devices import (
    DeviceOffer,
    DeviceOffers,
    burden_sentence,
    can_have_device,
    device_picture,
    device_sentence,
    exact_share,
    find_device_warning,
    offer_devices,
    questions_without_device,
    share_sentence,
    study_cards,
    with_device,
    with_own_share,
)
from ppworkbench.analyses.designs.goals import OPEN, Goal, light_of
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.fieldwork.page.cards import Card, card_languages, card_words, write_cards
from ppworkbench.fieldwork.page.pictures import Picture
from ppworkbench.gui.dialogs import close_buttons, ok_cancel, resize_dialog, save_file
from ppworkbench.gui.language import speech, told_error, tr, translate
from ppworkbench.gui.numbers import number, probability, signed, trimmed
from ppworkbench.gui.pages.design.texts import light_words
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.pdf.report import print_cards
from ppworkbench.gui.theme import ThemeManager, set_rules, smooth_painter
from ppworkbench.gui.widgets.card import Card as Frame
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text
from ppworkbench.gui.widgets.number_fields import NumberBox
from ppworkbench.gui.widgets.table import TextModel, TextTable
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

PRIVATE, NEAREST = "private", "nearest"


def card_language() -> str:
    """The language of the window where there are cards in it, else English."""
    return speech.language if speech.language in card_languages() else "en"


class DeviceLine(QWidget):
    """What people use for the question, in one line, with a way to another device and to cards."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.words = named(ElidedLabel("secondary"), "deviceWords")
        self.warning = named(IconLabel(themes, "warning", "warningText", 16), "deviceWarning")
        self.choose = named(Button(themes, self.tr("Device…"), look="link"), "chooseDevice")
        self.choose.setToolTip(self.tr("Choose what people use to randomise"))
        self.cards = named(IconButton(themes, "file", self.tr("Print cards…"), 16), "printCards")
        line = row(
            IconLabel(themes, "dice", size=16), self.warning, self.words, self.choose, self.cards,
            spacing=6,
        )  # fmt: skip
        line.setStretch(2, 1)
        self.assumed = named(text("", "captionHint", wrap=True), "assumedShare")
        column(line, self.assumed, parent=self, spacing=2)

    def set_view(self, view: DesignView) -> None:
        study = view.study
        is_possible = can_have_device(study, view.name)
        self.setVisible(is_possible)
        if not is_possible:
            return
        said = translate(device_sentence(study.design, view.name))
        self.words.setText(said)
        self.words.setAccessibleName(self.tr("What people use: %s") % said)
        assumed = share_sentence(study, view.name)
        show_words(self.assumed, "" if assumed is None else translate(assumed))
        warning = find_device_warning(study.design)
        self.warning.setVisible(bool(warning))
        self.warning.setToolTip(translate(warning))


class PictureView(QWidget):
    """A picture of a device in the colours of the theme, as large as there is room."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._picture: Picture | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self.update)

    def show_picture(self, picture: Picture | None) -> None:
        self._picture = picture
        self.setAccessibleName("" if picture is None else picture.text)
        self.update()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(240, 130)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw it in the middle, nowhere larger than it was meant to be."""
        if self._picture is None:
            return
        theme = "dark" if self._themes.theme.is_dark else "light"
        size = QSize(self._picture.width, self._picture.height).toSizeF()
        if size.width() > self.width() or size.height() > self.height():
            size = size.scaled(self.size().toSizeF(), Qt.AspectRatioMode.KeepAspectRatio)
        area = QRectF(0, 0, size.width(), size.height())
        area.moveCenter(QRectF(self.rect()).center())
        painter = smooth_painter(self)
        svg = QByteArray(self._picture.to_svg(theme).encode())
        QSvgRenderer(svg).render(painter, area)
        painter.end()


class DeviceDialog(QDialog):
    """All devices that can do a question: what each makes of it, and what that costs."""

    chosen = Signal(object)
    """The offer that was accepted."""
    cards_requested = Signal()

    def __init__(self, themes: ThemeManager, study: Study, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What people use: %s") % study.shown(name))
        self._study, self._name = study, name
        self._offers: DeviceOffers = offer_devices(study, name)
        self._shown: tuple[DeviceOffer, ...] = ()
        self.side = Segmented(
            themes, self.tr("Rounding"),
            [(PRIVATE, self.tr("Private side")), (NEAREST, self.tr("Nearest"))],
        )  # fmt: skip
        self.side.setObjectName("deviceSide")
        self.side.setToolTip(
            self.tr("Round the probability to less truth, or to the nearest step of the device")
        )
        self.side.chosen.connect(self._on_side)
        self.table = TextTable(themes, "deviceTable", self.tr("Devices for respondents"))
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._model = TextModel(themes)
        self.table.setModel(self._model)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_offer())
        self.table.doubleClicked.connect(lambda _: self._on_accept())
        self.wish = text("", "secondary", wrap=True)
        self.picture = PictureView(themes)
        self._build_facts()
        self.warning = named(text("", "warning", wrap=True), "deviceDialogWarning")
        self.problem = named(text("", "error", wrap=True), "deviceProblem")
        self.buttons = ok_cancel(self, self._on_accept)
        self.print = named(Button(themes, self.tr("Print cards…"), "file"), "dialogPrintCards")
        self.print.setToolTip(self.tr("Take the device and print what people have to do"))
        self.print.clicked.connect(self._on_print)
        # Enter takes the device, wherever the focus is.
        self.print.setAutoDefault(False)
        self._arrange()
        self._fill()

    def _build_facts(self) -> None:
        self.facts = {
            key: named(text("", "secondary", wrap=True), f"device-{key}")
            for key in ("probability", "belief", "goals", "respondents", "burden", "known")
        }
        self.share = named(NumberBox(is_share=True), "ownShare", self.tr("Own share"))
        self.share.setRange(0.0001, 0.9999)
        self.error = named(NumberBox(is_share=True), "ownShareError", self.tr("± standard error"))
        self.error.setRange(0.0, 0.4999)
        for box in (self.share, self.error):
            box.setDecimals(4)
            box.setSingleStep(0.005)
            box.valueChanged.connect(lambda _: self._show_facts())
        plus = text(self.tr("± standard error"), "label")
        self.own = QWidget()
        row(self.share, plus, self.error, None, parent=self.own, spacing=8)
        self._own_label = text(self.tr("Own share"), "label")
        self._own_label.setToolTip(
            self.tr(
                "Shares of birthdays and digits are estimates. A share of your own population "
                "and its standard error go into the intervals of estimates."
            )
        )

    def _arrange(self) -> None:
        right = Frame(padding=12)
        self._rows = grid = QFormLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        for label, key in (
            (self.tr("Probability"), "probability"), (self.tr("Belief"), "belief"),
            (self.tr("Goals"), "goals"), (self.tr("Respondents"), "respondents"),
            (self.tr("Burden"), "burden"), (self.tr("Who could know"), "known"),
        ):  # fmt: skip
            grid.addRow(text(label, "label"), self.facts[key])
        grid.addRow(self._own_label, self.own)
        right.body.addWidget(self.picture, 1)
        right.body.addLayout(grid)
        body = row(self.table, right, spacing=10)
        body.setStretch(0, 7)
        body.setStretch(1, 6)
        head = row(self.wish, self.side, spacing=10)
        head.setStretch(0, 1)
        layout = column(
            head, body, self.warning, self.problem, row(self.print, None, self.buttons),
            parent=self, margin=14, spacing=10,
        )  # fmt: skip
        layout.setStretch(1, 1)
        resize_dialog(self, 1000, 520)

    @property
    def offer(self) -> DeviceOffer | None:
        """The device in front, with the own share where there is one; None if that is wrong."""
        place = self.table.currentIndex().row()
        if not 0 <= place < len(self._shown):
            return None
        found = self._shown[place]
        if not found.kind.is_natural:
            return found
        usual = float(exact_share(found.device))
        share = self.share.value()
        own = None if abs(share - usual) < 5e-5 else share
        try:
            return with_own_share(self._study, self._offers, found, own, self.error.value() or None)
        except WorkbenchError as error:
            show_words(self.problem, told_error(error, self._study))
            return None

    def choose(self, name: str) -> None:
        for place, one in enumerate(self._shown):
            if one.name == name:
                self.table.selectRow(place)
                return

    def _on_side(self, side: str) -> None:
        kept = None if self.offer is None else self.offer.name
        self._offers = offer_devices(self._study, self._name, nearest=side == NEAREST)
        self._fill(kept)

    def _fill(self, kept: str | None = None) -> None:
        offers = self._offers
        pages = [one for one in offers.offers if one.is_page]
        self._shown = (*pages, *(one for one in offers.offers if not one.is_page))
        heads = [self.tr("Device"), self.tr("Probability"), self.tr("Respondents")]
        self._model.show_rows(heads, [self._row(one) for one in self._shown])
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.wish.setText(
            self.tr("Design: probability %s, %s respondents for ± %s points")
            % (trimmed(offers.exact, 4), _people(offers.respondents),
               trimmed(100 * offers.half_width, 2))
        )  # fmt: skip
        device = self._study.design[self._name].device
        current = device.name if device is not None else self._exact_name()
        self.choose(kept or current)
        if not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self._show_offer()

    def _exact_name(self) -> str:
        """A device that changes nothing, if there is one; else the page."""
        exact = (one for one in self._shown if not one.is_page and abs(one.extra) < 0.5)
        return next((one.name for one in exact if one.exact == one.snapped), self._shown[0].name)

    def _row(self, one: DeviceOffer) -> Sequence[str]:
        title = self.tr("None: the page draws") if one.is_page else translate(one.kind.label)
        shown = one.fraction or trimmed(one.snapped, 4)
        return title, shown, _people(one.respondents)

    def _show_offer(self) -> None:
        """Show the device of the current row from the beginning, with the shares of the design."""
        place = self.table.currentIndex().row()
        if not 0 <= place < len(self._shown):
            return
        found = self._shown[place]
        is_natural = found.kind.is_natural
        self._rows.setRowVisible(self.own, is_natural)
        if is_natural:
            device = self._study.design[self._name].device
            is_same = device is not None and device.parts == found.device.parts
            share = device.share if device is not None and is_same else None
            error = device.standard_error if device is not None and is_same else None
            self.share.show_value(float(exact_share(found.device)) if share is None else share)
            self.error.show_value(error or 0.0)
        self.picture.show_picture(device_picture(self._study, self._name, found, card_language()))
        self._show_facts()

    def _show_facts(self) -> None:
        self.problem.hide()
        offer = self.offer
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(offer is not None)
        self.print.setEnabled(offer is not None and not offer.is_page)
        if offer is None:
            return
        snapped, exact = trimmed(offer.snapped, 4), trimmed(offer.exact, 4)
        if offer.fraction:
            snapped = f"{offer.fraction} = {snapped}"
        self.facts["probability"].setText(
            self.tr("exact %s, with the device %s") % (exact, snapped)
        )
        people = _people(offer.respondents)
        if abs(offer.extra) >= 0.5:
            people = self.tr("%s (%s)") % (people, signed(offer.extra))
        self.facts["respondents"].setText(people)
        self.facts["burden"].setText(translate(burden_sentence(offer.kind)))
        self.facts["known"].setText(translate(offer.kind.known_to))
        changed = with_device(self._study, self._name, offer)
        now, then = self._effects(self._study), self._effects(changed)
        for key in ("belief", "goals"):
            words = self.tr("now %s, with the device %s") % (now[key], then[key])
            self.facts[key].setText(self.tr("%s, as now") % then[key] if now == then else words)
        show_words(self.warning, translate(find_device_warning(changed.design)))

    def _effects(self, study: Study) -> dict[str, str]:
        """What somebody may come to believe, and whether the goals of the study are met."""
        report = report_of(study, self._name)
        belief, light = belief_of(report), light_of(report, Goal.from_json(study.goals))
        said = "–" if belief is None else probability(belief.after)
        met = tr("none set") if light.state == OPEN else light_words(light)
        return {"belief": said, "goals": met}

    def _on_accept(self) -> bool:
        offer = self.offer
        if offer is not None:
            self.chosen.emit(offer)
            self.accept()
        return offer is not None

    def _on_print(self) -> None:
        if self._on_accept():
            self.cards_requested.emit()


def _people(count: float) -> str:
    return number(count) if count < float("inf") else "∞"


def device_step(study: Study, name: str) -> str:
    return tr("Device for %s") % study.shown(name)


Edits = dict[Card, Card]
"""Cards as the design makes them, and as somebody has edited them."""


class CardsDialog(QDialog):
    """A list of cards to tick, and the words of the current one to edit."""

    def __init__(self, workbench: Workbench, study: Study, edits: Edits, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Print cards"))
        self._workbench, self._study, self._edits = workbench, study, edits
        self._cards: list[Card] = []
        self.languages = {
            code: named(QCheckBox(card_words(code)["name"]), f"cardLanguage-{code}")
            for code in card_languages()
        }
        self.languages[card_language()].setChecked(True)
        for box in self.languages.values():
            box.toggled.connect(lambda _: self._fill())
        self.list = named(QListWidget(), "cards", self.tr("Cards"))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.currentRowChanged.connect(self._show_card)
        self.list.itemChanged.connect(lambda _: self._enable())
        self.title = named(QLineEdit(), "cardTitle", self.tr("Question"))
        self.words = named(QPlainTextEdit(), "cardWords", self.tr("What to do"))
        self.words.setTabChangesFocus(True)
        self.title.textEdited.connect(lambda _: self._on_edited())
        self.words.textChanged.connect(self._on_edited)
        self.reset = named(
            Button(workbench.themes, self.tr("Reset text"), look="link"), "resetCard"
        )
        self.reset.clicked.connect(self._on_reset)
        self.reset.setAutoDefault(False)
        self.picture = PictureView(workbench.themes)
        self.boxes = named(text("", "secondary", wrap=True), "cardBoxes")
        self.why = named(text("", "strong", wrap=True), "cardWhy")
        self.warning = named(text("", "warning", wrap=True), "cardWarning")
        self.missing = named(text("", "warning", wrap=True), "cardsMissing")
        self.save = named(
            Button(workbench.themes, self.tr("Save cards…"), look="primary"), "saveCards"
        )
        self.save.clicked.connect(self._on_save)
        self.buttons = close_buttons(self)
        self._arrange()
        theme = workbench.themes.theme
        chosen = f"background: {theme.hex('accentTint')}; color: {theme.hex('accentInk')};"
        set_rules(
            self.list,
            "QListWidget::item { padding: 4px 6px; border-radius: 6px; }"
            f"QListWidget::item:selected {{ {chosen} }}",
        )
        edge = f"border: 1px solid {theme.hex('outline')}; border-radius: 6px; padding: 4px;"
        set_rules(self.words, f"QPlainTextEdit {{ {edge} }}")
        self._fill()

    def _arrange(self) -> None:
        right = Frame(padding=12)
        for part in (self.title, self.words, self.picture, self.boxes, self.why, self.warning):
            right.body.addWidget(part)
        right.body.setStretchFactor(self.words, 2)
        right.body.setStretchFactor(self.picture, 3)
        right.body.addLayout(row(None, self.reset))
        left = column(row(*self.languages.values(), None, spacing=14), self.list, spacing=8)
        body = row(left, right, spacing=10)
        body.setStretch(0, 4)
        body.setStretch(1, 6)
        hint = text(self.tr("One card is one A4 page. The texts can be edited."), "captionHint")
        layout = column(
            hint, body, self.missing, row(None, self.save, self.buttons),
            parent=self, margin=14, spacing=10,
        )  # fmt: skip
        layout.setStretch(1, 1)
        resize_dialog(self, 920, 580)

    @property
    def chosen(self) -> list[Card]:
        """The cards that are ticked, in the words that were edited."""
        return [
            self._edits.get(card, card)
            for place, card in enumerate(self._cards)
            if self.list.item(place).checkState() == Qt.CheckState.Checked
        ]

    def _fill(self) -> None:
        languages = [code for code, box in self.languages.items() if box.isChecked()]
        self._cards = study_cards(self._study, languages) if languages else []
        kept = max(self.list.currentRow(), 0)
        with QSignalBlocker(self.list):
            self.list.clear()
            for card in self._cards:
                item = QListWidgetItem(self._label(card, len(languages) > 1))
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Checked)
                item.setToolTip(item.text())
                self.list.addItem(item)
        lacking = questions_without_device(self._study)
        listed = ", ".join(self._study.shown(name) for name in lacking)
        words = self.tr("No device chosen that does it exactly, so no card: %s") % listed
        show_words(self.missing, words if lacking else "")
        if self._cards:
            self.list.setCurrentRow(min(kept, len(self._cards) - 1))
        self._show_card()
        self._enable()

    def _label(self, card: Card, with_language: bool) -> str:
        shown = card.attribute
        if card.attribute in self._study.design:
            shown = self._study.shown(card.attribute)
        parts = [shown, card.version, card_words(card.language)["name"] if with_language else ""]
        return " · ".join(part for part in parts if part)

    def _enable(self) -> None:
        self.save.setEnabled(bool(self.chosen))
        self.save.setToolTip("" if self.chosen else self.tr("Tick a card."))

    @property
    def _current(self) -> Card | None:
        place = self.list.currentRow()
        return self._cards[place] if 0 <= place < len(self._cards) else None

    def _show_card(self, _: int = 0) -> None:
        card = self._current
        for part in (self.title, self.words):
            part.setEnabled(card is not None)
        if card is None:
            self.picture.show_picture(None)
            self.reset.hide()
            return
        seen = self._edits.get(card, card)
        with QSignalBlocker(self.title), QSignalBlocker(self.words):
            self.title.setText(seen.title)
            self.words.setPlainText("\n".join(seen.lines))
        self.picture.setHidden(card.picture is None)
        self.picture.show_picture(card.picture)
        self.boxes.setText("   ".join(f"☐ {box}" for box in card.boxes))
        show_words(self.why, card.why)
        show_words(self.warning, " ".join(card.warnings))
        self.reset.setVisible(seen is not card)

    def _on_edited(self) -> None:
        card = self._current
        if card is None:
            return
        edited = card.with_words(self.title.text(), self.words.toPlainText().splitlines())
        if edited == card:
            self._edits.pop(card, None)
        else:
            self._edits[card] = edited
        self.reset.setVisible(card in self._edits)

    def _on_reset(self) -> None:
        card = self._current
        if card is not None:
            self._edits.pop(card, None)
            self._show_card()

    def _on_save(self) -> None:
        folder = Path(str(self._workbench.settings.value("files/folder", "") or Path.home()))
        kinds = ";;".join((self.tr("PDF (*.pdf)"), self.tr("Web pages (*.html)")))
        start = str(folder / "cards.pdf")
        save_file(self, self.tr("Save cards"), start, kinds, self._write)

    def _write(self, path: Path) -> None:
        cards, workbench = tuple(self.chosen), self._workbench

        def work(progress: Progress) -> Path:
            progress(0.0)
            (print_cards if path.suffix.lower() == ".pdf" else write_cards)(cards, path)
            return path

        def done(written: Path) -> None:
            workbench.show_toast(tr("Cards saved as %s.") % written.name)

        workbench.settings.setValue("files/folder", str(path.parent))
        workbench.run(tr("Saving %s") % path.name, work, done)
