// The 16 types of steps.
import Type, { type Static } from 'typebox'
import {
  Condition,
  closed,
  Duration,
  LocalizedText,
  Name,
  OPTIONS_MAX,
  optional,
  Path,
  ResourceId,
  ResourceIds,
  Scalar,
  StepId,
  Target,
} from './shapes.ts'

export const ChoiceOption = Type.Object(
  {
    id: Name,
    title: LocalizedText,
    description: optional(LocalizedText),
    also: optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 })),
    goto: optional(Target),
    showIf: optional(Condition),
  },
  closed,
)
export type ChoiceOption = Static<typeof ChoiceOption>

export const TemplateReference = Type.Object(
  {
    name: Type.String({ maxLength: 512 }),
    language: Type.String({ maxLength: 20 }),
    parameters: optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 20 })),
  },
  closed,
)
export type TemplateReference = Static<typeof TemplateReference>

const common = {
  id: StepId,
  note: optional(Type.String({ maxLength: 500, description: 'For those who edit the flow.' })),
  isOff: optional(Type.Boolean()),
  onFailed: optional(Target),
}
const type = <T extends string>(name: T) => ({ ...common, type: Type.Literal(name) })

export const ANSWERS = [
  'text',
  'choice',
  'yesno',
  'email',
  'phone',
  'number',
  'date',
  'file',
  'rating',
] as const

const SendStep = Type.Object(
  {
    ...type('send'),
    text: optional(LocalizedText),
    attachmentIds: optional(Type.Array(ResourceId, { maxItems: 5 })),
    ifWindowClosed: optional(TemplateReference),
  },
  { ...closed, anyOf: [{ required: ['text'] }, { required: ['attachmentIds'] }] },
)
const AskStep = Type.Object(
  {
    ...type('ask'),
    text: LocalizedText,
    answer: Type.Enum([...ANSWERS]),
    options: optional(Type.Array(ChoiceOption, { minItems: 1, maxItems: OPTIONS_MAX })),
    listLabel: optional(LocalizedText),
    store: optional(Type.Union([Path, Type.Object({ run: Path, contact: Path }, closed)])),
    min: optional(Type.Number()),
    max: optional(Type.Number()),
    pattern: optional(Type.String({ maxLength: 200, description: 'In the syntax of RE2.' })),
    skipIf: optional(Condition),
    retry: optional(
      Type.Object(
        {
          times: optional(Type.Integer({ minimum: 0, maximum: 5 })),
          text: optional(LocalizedText),
          then: optional(Target),
        },
        closed,
      ),
    ),
    timeout: optional(Type.Object({ after: Duration, then: Target }, closed)),
    offerPerson: optional(Type.Boolean()),
  },
  closed,
)
const BranchStep = Type.Object(
  {
    ...type('branch'),
    paths: Type.Array(
      Type.Object({ title: optional(Type.String({ maxLength: 80 })), when: Condition, goto: Target }, closed),
      { minItems: 1, maxItems: 20 },
    ),
    else: Target,
  },
  closed,
)
const HoursStep = Type.Object(
  { ...type('hours'), hoursId: optional(ResourceId), open: Target, closed: Target },
  closed,
)
const WaitStep = Type.Object(
  {
    ...type('wait'),
    for: Duration,
    until: optional(Type.Enum(['time', 'opening', 'reply'])),
    onReply: optional(Type.Enum(['continue', 'ignore', 'cancel'])),
  },
  closed,
)
const SetStep = Type.Object(
  {
    ...type('set'),
    set: Type.Array(
      Type.Object(
        { to: Path, value: optional(Type.Union([Scalar, Type.Null()])), from: optional(Path) },
        closed,
      ),
      { minItems: 1, maxItems: 20 },
    ),
  },
  closed,
)
const TagStep = Type.Object(
  { ...type('tag'), add: optional(ResourceIds), remove: optional(ResourceIds) },
  closed,
)
const AssignStep = Type.Object(
  {
    ...type('assign'),
    to: Type.Union([
      Type.String({ maxLength: 64 }),
      Type.Object(
        {
          among: ResourceIds,
          by: optional(Type.Enum(['turn', 'fewest_open'])),
          onlineOnly: optional(Type.Boolean()),
          else: optional(Target),
        },
        closed,
      ),
    ]),
    teamId: optional(ResourceId),
  },
  closed,
)
const NoteStep = Type.Object(
  { ...type('note'), text: Type.String({ minLength: 1, maxLength: 4_000 }) },
  closed,
)
const CloseStep = Type.Object(type('close'), closed)
const CallStep = Type.Object(
  {
    ...type('call'),
    actionId: ResourceId,
    with: optional(
      Type.Record(Name, Type.Object({ from: optional(Path), value: optional(Scalar) }, closed), {
        ...closed,
        maxProperties: 20,
      }),
    ),
    keep: optional(Name),
    paths: optional(Type.Object({ notFound: optional(Target), refused: optional(Target) }, closed)),
  },
  closed,
)
const AiStep = Type.Object(
  {
    ...type('ai'),
    goal: optional(Type.String({ maxLength: 1_000 })),
    collect: optional(Type.Array(Name, { maxItems: 10 })),
    turnsMax: optional(Type.Integer({ minimum: 1, maximum: 30 })),
    onDone: optional(Target),
    onGiveUp: optional(Target),
  },
  closed,
)
const PeopleStep = Type.Object(
  {
    ...type('people'),
    assign: optional(Type.String({ maxLength: 64 })),
    teamId: optional(ResourceId),
    text: optional(LocalizedText),
    summary: optional(Type.Enum(['answers', 'ai', 'none'])),
  },
  closed,
)
const FlowStep = Type.Object(
  {
    ...type('flow'),
    flowId: ResourceId,
    as: Type.Enum(['part', 'instead']),
    with: optional(Type.Record(Type.String(), Path, { maxProperties: 20 })),
  },
  closed,
)
const SplitStep = Type.Object(
  {
    ...type('split'),
    paths: Type.Array(
      Type.Object({ percent: Type.Integer({ minimum: 1, maximum: 99 }), goto: Target }, closed),
      { minItems: 2, maxItems: 5 },
    ),
  },
  closed,
)
const GotoStep = Type.Object({ ...type('goto'), to: Target }, closed)

/** Each type of step by its name. */
export const STEPS = {
  send: SendStep,
  ask: AskStep,
  branch: BranchStep,
  hours: HoursStep,
  wait: WaitStep,
  set: SetStep,
  tag: TagStep,
  assign: AssignStep,
  note: NoteStep,
  close: CloseStep,
  call: CallStep,
  ai: AiStep,
  people: PeopleStep,
  flow: FlowStep,
  split: SplitStep,
  goto: GotoStep,
}
export type StepType = keyof typeof STEPS

export const Step = Type.Union([
  SendStep,
  AskStep,
  BranchStep,
  HoursStep,
  WaitStep,
  SetStep,
  TagStep,
  AssignStep,
  NoteStep,
  CloseStep,
  CallStep,
  AiStep,
  PeopleStep,
  FlowStep,
  SplitStep,
  GotoStep,
])
export type Step = Static<typeof Step>
export type StepOf<T extends StepType> = Extract<Step, { type: T }>
