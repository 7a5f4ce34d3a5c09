//! Every question in one type.

use serde::{Deserialize, Serialize};
use tilewright_hlo::Assignment;

use crate::bitcast::{Bitcast, BitcastAnswer};
use crate::calc::{Calc, Explain, Explained, OperationList, Operations};
use crate::complete::{Complete, Completions};
use crate::draw::{Draw, Drawn};
use crate::emit::Emit;
use crate::error::Error;
use crate::hlo::{Assign, Hlo, HloAnswer};
use crate::index::{Found, Index};
use crate::layouts::{Layouts, NamedRows};
use crate::pieces::{Pieces, Read};
use crate::place::{Place, PlaceAnswer};
use crate::plan::{Plan, Planned};
use crate::same::{Comparison, Same};
use crate::show::{Show, Shown};
use crate::subject::Reader;
use crate::to::{Text, To};
use crate::tpu::{FormatList, Formats, OnChips, Tpu};

/// A question; in JSON the key `ask` says which one, `{"ask":"same","a":"4:1","b":"4:2"}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Question {
    /// What does a layout say?
    Show(Show),
    /// What does a layout look like?
    Draw(Draw),
    /// What is at a place?
    Place(Place),
    /// Where does an element lie, or which one lies at an offset?
    Index(Index),
    /// Do two layouts place every element alike?
    Same(Same),
    /// Is one array's memory another's?
    Bitcast(Bitcast),
    /// What is a layout in another notation?
    To(To),
    /// What is a layout, or a relayout, as source code?
    Emit(Emit),
    /// What does an expression of the algebra come to?
    Calc(Calc),
    /// How does it come to that?
    Explain(Explain),
    /// What operations does the algebra have?
    Operations(Operations),
    /// Which layouts have names?
    Layouts(Layouts),
    /// What format does a TPU's compiler give an array?
    Tpu(Tpu),
    /// What formats could an array have on a TPU?
    Formats(Formats),
    /// How does a relayout go?
    Plan(Plan),
    /// What do a module's layouts cost?
    Hlo(Hlo),
    /// What formats would a module's parameters do better in?
    Assign(Assign),
    /// What does each piece of a text mean?
    Read(Read),
    /// How could a text go on?
    Complete(Complete),
}

/// An answer. In JSON it is the document that `tilewright --json` prints, where there is such a
/// command.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "each is the answer to the question of its name")]
#[non_exhaustive]
pub enum Answer {
    Show(Box<Shown>),
    Draw(Drawn),
    Place(PlaceAnswer),
    Index(Found),
    Same(Comparison),
    Bitcast(BitcastAnswer),
    To(Text),
    Emit(Text),
    Calc(Text),
    Explain(Explained),
    Operations(OperationList),
    Layouts(NamedRows),
    Tpu(OnChips),
    Formats(FormatList),
    Plan(Box<Planned>),
    Hlo(HloAnswer),
    Assign(Box<Assignment>),
    Read(Pieces),
    Complete(Completions),
}

impl Question {
    /// The answer.
    ///
    /// # Errors
    /// As of each question.
    pub fn answer(&self, reader: Reader<'_>) -> Result<Answer, Error> {
        Ok(match self {
            Question::Show(question) => Answer::Show(Box::new(question.answer(reader)?)),
            Question::Draw(question) => Answer::Draw(question.answer(reader)?),
            Question::Place(question) => Answer::Place(question.answer(reader)?),
            Question::Index(question) => Answer::Index(question.answer(reader)?),
            Question::Same(question) => Answer::Same(question.answer(reader)?),
            Question::Bitcast(question) => Answer::Bitcast(question.answer(reader)?),
            Question::To(question) => Answer::To(question.answer(reader)?),
            Question::Emit(question) => Answer::Emit(question.answer(reader)?),
            Question::Calc(question) => Answer::Calc(question.answer()?),
            Question::Explain(question) => Answer::Explain(question.answer()?),
            Question::Operations(question) => Answer::Operations(question.answer()),
            Question::Layouts(question) => Answer::Layouts(question.answer()?),
            Question::Tpu(question) => Answer::Tpu(question.answer(reader)?),
            Question::Formats(question) => Answer::Formats(question.answer(reader)?),
            Question::Plan(question) => Answer::Plan(Box::new(question.answer(reader)?)),
            Question::Hlo(question) => Answer::Hlo(question.answer(reader)?),
            Question::Assign(question) => Answer::Assign(Box::new(question.answer()?)),
            Question::Read(question) => Answer::Read(question.answer(reader.strict)),
            Question::Complete(question) => Answer::Complete(question.answer()),
        })
    }
}
