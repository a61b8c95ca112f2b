// The form of each type of step, as a table: which values it has, how they are edited, and what may not be left out.
import { ANSWERS, type Step, type StepOf, type StepType } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'

type Choice = { value: string; label: string }

export type FieldKind =
  /** A text for customers, in several languages, with variables. */
  | { kind: 'text'; isShort?: true }
  /** A text in one language; `area` is for several lines. */
  | { kind: 'plain'; isCode?: true }
  | { kind: 'area' }
  | { kind: 'select'; choices: readonly Choice[]; first: string }
  | { kind: 'flag'; isOnByDefault?: true }
  | { kind: 'number'; min?: number; max?: number }
  | { kind: 'duration' }
  /** `empty` is what happens if nothing is chosen; without it, something must be. */
  | { kind: 'target'; empty?: string }
  | { kind: 'condition' }
  | { kind: 'one'; of: 'action' | 'hours' | 'flow' | 'agent' | 'team'; empty?: string }
  | { kind: 'several'; of: 'tag' | 'agent' }
  | { kind: 'names' }
  | { kind: 'options' | 'paths' | 'split' | 'sets' | 'values' | 'mapping' }
  | { kind: 'store' | 'timeout' | 'assign' | 'template' }

export type Field = FieldKind & {
  /** Where the value is in the step, with dots between names. */
  at: string
  label: string
  hint?: string
  /** What to do if it is missing; then the step can't be published. */
  needed?: string
  /** Rarely used: collapsed. */
  isMore?: true | undefined
  isShown?: (step: Step) => boolean
}

const ask = (test: (step: StepOf<'ask'>) => boolean) => (step: Step) => step.type === 'ask' && test(step)
const hasRange = ask(({ answer }) => answer === 'number' || answer === 'rating')

const ANSWER_LABELS: Record<(typeof ANSWERS)[number], string> = {
  text: t`Any text`,
  choice: t`One of several options`,
  yesno: t`Yes or no`,
  email: t`An email address`,
  phone: t`A phone number`,
  number: t`A number`,
  date: t`A date`,
  file: t`A file or image`,
  rating: t`A rating`,
}

const NEXT = t`Next step`

const TEAM: Field = {
  at: 'teamId',
  kind: 'one',
  of: 'team',
  label: t`Team`,
  empty: t`Doesn’t change`,
  hint: t`If nobody is assigned, a team that assigns automatically gives it to one of its people.`,
}

export const FIELDS: Record<StepType, Field[]> = {
  send: [
    { at: 'text', kind: 'text', label: t`Message` },
    {
      at: 'ifWindowClosed',
      kind: 'template',
      label: t`WhatsApp template`,
      hint: t`Sent instead if the customer hasn’t written for 24 hours.`,
      isMore: true,
    },
  ],
  ask: [
    { at: 'text', kind: 'text', label: t`Question`, needed: t`Enter the question.` },
    {
      at: 'answer',
      kind: 'select',
      label: t`Reply`,
      choices: ANSWERS.map((value) => ({ value, label: ANSWER_LABELS[value] })),
      first: 'text',
    },
    {
      at: 'options',
      kind: 'options',
      label: t`Options`,
      needed: t`Add an option, and give each one a title.`,
      isShown: ask(({ answer }) => answer === 'choice'),
    },
    { at: 'min', kind: 'number', label: t`Lowest`, isShown: hasRange },
    { at: 'max', kind: 'number', label: t`Highest`, isShown: hasRange },
    { at: 'store', kind: 'store', label: t`Save the reply as` },
    {
      at: 'retry.text',
      kind: 'text',
      label: t`If the reply isn’t understood, say`,
      hint: t`Optional. Sent instead of repeating the question.`,
      isShort: true,
    },
    {
      at: 'retry.then',
      kind: 'target',
      label: t`If it still isn’t understood`,
      empty: t`Hand over to the team`,
    },
    { at: 'timeout', kind: 'timeout', label: t`If there’s no reply` },
    { at: 'retry.times', kind: 'number', label: t`How often to ask again`, min: 0, max: 5, isMore: true },
    {
      at: 'pattern',
      kind: 'plain',
      isCode: true,
      label: t`Required pattern`,
      hint: t`A regular expression (RE2), e.g. ${'^[A-Z]{2}-\\d{5}$'}`,
      isMore: true,
      isShown: ask(({ answer }) => answer === 'text'),
    },
    {
      at: 'listLabel',
      kind: 'text',
      isShort: true,
      label: t`Button that opens the list`,
      hint: t`Where a channel shows many options as a list, e.g. “Choose”.`,
      isMore: true,
      isShown: ask(({ answer }) => answer === 'choice'),
    },
    { at: 'skipIf', kind: 'condition', label: t`Skip the question if`, isMore: true },
    {
      at: 'offerPerson',
      kind: 'flag',
      isOnByDefault: true,
      label: t`Offer a person after a reply that isn’t understood`,
      isMore: true,
    },
  ],
  branch: [
    { at: 'paths', kind: 'paths', label: t`Paths`, needed: t`Complete the conditions.` },
    { at: 'else', kind: 'target', label: t`Otherwise` },
  ],
  hours: [
    { at: 'open', kind: 'target', label: t`While you’re open` },
    { at: 'closed', kind: 'target', label: t`While you’re closed` },
    {
      at: 'hoursId',
      kind: 'one',
      of: 'hours',
      label: t`Business hours`,
      empty: t`The default ones`,
      isMore: true,
    },
  ],
  wait: [
    {
      at: 'until',
      kind: 'select',
      label: t`Wait`,
      choices: [
        { value: 'time', label: t`For a time` },
        { value: 'reply', label: t`For a reply` },
        { value: 'opening', label: t`Until you open` },
      ],
      first: 'time',
    },
    { at: 'for', kind: 'duration', label: t`How long`, hint: t`For a reply: at most. 30 days is the limit.` },
    {
      at: 'onReply',
      kind: 'select',
      label: t`If the customer writes meanwhile`,
      choices: [
        { value: 'continue', label: t`Continue with the next step` },
        { value: 'ignore', label: t`Keep waiting` },
        { value: 'cancel', label: t`End the flow` },
      ],
      first: 'ignore',
      isMore: true,
      isShown: (step) => step.type === 'wait' && step.until !== 'reply',
    },
  ],
  set: [{ at: 'set', kind: 'sets', label: t`Values` }],
  tag: [
    { at: 'add', kind: 'several', of: 'tag', label: t`Add` },
    { at: 'remove', kind: 'several', of: 'tag', label: t`Remove` },
  ],
  assign: [{ at: 'to', kind: 'assign', label: t`Assign to` }, TEAM],
  note: [{ at: 'text', kind: 'area', label: t`Note`, needed: t`Enter the note.` }],
  close: [],
  call: [
    { at: 'actionId', kind: 'one', of: 'action', label: t`Action`, needed: t`Choose an action.` },
    { at: 'with', kind: 'values', label: t`Values to send` },
    {
      at: 'keep',
      kind: 'plain',
      label: t`Save the result as`,
      hint: t`Then texts can use it, e.g. {{call.order.status}} for “order”.`,
    },
    { at: 'paths.notFound', kind: 'target', label: t`If nothing is found`, empty: t`Same as if it fails` },
    {
      at: 'paths.refused',
      kind: 'target',
      label: t`If it’s refused`,
      empty: t`Same as if it fails`,
      isMore: true,
    },
  ],
  ai: [
    { at: 'goal', kind: 'area', label: t`Goal`, hint: t`What the AI agent should achieve or find out.` },
    { at: 'collect', kind: 'names', label: t`Collect`, hint: t`Variables, separated by commas.` },
    { at: 'onDone', kind: 'target', label: t`When it’s done`, empty: NEXT },
    { at: 'onGiveUp', kind: 'target', label: t`When it gives up`, empty: t`Hand over to the team` },
    { at: 'turnsMax', kind: 'number', label: t`Replies at most`, min: 1, max: 30, isMore: true },
  ],
  people: [
    {
      at: 'text',
      kind: 'text',
      label: t`Message to the customer`,
      hint: t`Optional, e.g. that somebody will reply.`,
    },
    { at: 'assign', kind: 'one', of: 'agent', label: t`Assign to`, empty: t`Nobody in particular` },
    TEAM,
    {
      at: 'summary',
      kind: 'select',
      label: t`Internal note`,
      choices: [
        { value: 'answers', label: t`What the customer replied` },
        { value: 'ai', label: t`A summary by the AI agent` },
        { value: 'none', label: t`None` },
      ],
      first: 'answers',
    },
  ],
  flow: [
    { at: 'flowId', kind: 'one', of: 'flow', label: t`Flow`, needed: t`Choose a flow.` },
    {
      at: 'as',
      kind: 'select',
      label: t`Run it`,
      choices: [
        { value: 'part', label: t`As a part, then continue here` },
        { value: 'instead', label: t`Instead of this flow` },
      ],
      first: 'part',
    },
    { at: 'with', kind: 'mapping', label: t`Pass on`, isMore: true },
  ],
  split: [{ at: 'paths', kind: 'split', label: t`Shares` }],
  goto: [{ at: 'to', kind: 'target', label: t`Go to` }],
}

/** What every step has. */
export const COMMON_FIELDS: Field[] = [
  {
    at: 'onFailed',
    kind: 'target',
    label: t`If it fails`,
    empty: t`The flow ends and hands over to the team`,
    isMore: true,
  },
  { at: 'isOff', kind: 'flag', label: t`Skip this step`, isMore: true },
  { at: 'note', kind: 'plain', label: t`Comment`, hint: t`Only for those who edit the flow.`, isMore: true },
]

export const fieldsOf = (step: Step): Field[] =>
  [...FIELDS[step.type], ...COMMON_FIELDS]
    .filter(({ isShown }) => isShown?.(step) ?? true)
    // A call fails often enough for everyone to decide on it, and other choices of a call refer to this one.
    .map((field) =>
      step.type === 'call' && field.at === 'onFailed' ? { ...field, isMore: undefined } : field,
    )
