// The form of each type of step, as a table: which values it has, how they are edited, and what may not be left out.
import { ANSWERS, type Step, type StepOf, type StepType } from '../../../../flow-engine/schema.ts'

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
  text: 'Any text',
  choice: 'One of several options',
  yesno: 'Yes or no',
  email: 'An email address',
  phone: 'A phone number',
  number: 'A number',
  date: 'A date',
  file: 'A file or image',
  rating: 'A rating',
}

const NEXT = 'Next step'

const TEAM: Field = {
  at: 'teamId',
  kind: 'one',
  of: 'team',
  label: 'Team',
  empty: 'Doesn’t change',
  hint: 'If nobody is assigned, a team that assigns automatically gives it to one of its people.',
}

export const FIELDS: Record<StepType, Field[]> = {
  send: [
    { at: 'text', kind: 'text', label: 'Message' },
    {
      at: 'ifWindowClosed',
      kind: 'template',
      label: 'WhatsApp template',
      hint: 'Sent instead if the customer hasn’t written for 24 hours.',
      isMore: true,
    },
  ],
  ask: [
    { at: 'text', kind: 'text', label: 'Question', needed: 'Enter the question.' },
    {
      at: 'answer',
      kind: 'select',
      label: 'Reply',
      choices: ANSWERS.map((value) => ({ value, label: ANSWER_LABELS[value] })),
      first: 'text',
    },
    {
      at: 'options',
      kind: 'options',
      label: 'Options',
      needed: 'Add an option, and give each one a title.',
      isShown: ask(({ answer }) => answer === 'choice'),
    },
    { at: 'min', kind: 'number', label: 'Lowest', isShown: hasRange },
    { at: 'max', kind: 'number', label: 'Highest', isShown: hasRange },
    { at: 'store', kind: 'store', label: 'Save the reply as' },
    {
      at: 'retry.text',
      kind: 'text',
      label: 'If the reply isn’t understood, say',
      hint: 'Optional. Sent instead of repeating the question.',
      isShort: true,
    },
    {
      at: 'retry.then',
      kind: 'target',
      label: 'If it still isn’t understood',
      empty: 'Hand over to the team',
    },
    { at: 'timeout', kind: 'timeout', label: 'If there’s no reply' },
    { at: 'retry.times', kind: 'number', label: 'How often to ask again', min: 0, max: 5, isMore: true },
    {
      at: 'pattern',
      kind: 'plain',
      isCode: true,
      label: 'Required pattern',
      hint: 'A regular expression (RE2), e.g. ^[A-Z]{2}-\\d{5}$',
      isMore: true,
      isShown: ask(({ answer }) => answer === 'text'),
    },
    {
      at: 'listLabel',
      kind: 'text',
      isShort: true,
      label: 'Button that opens the list',
      hint: 'Where a channel shows many options as a list, e.g. “Choose”.',
      isMore: true,
      isShown: ask(({ answer }) => answer === 'choice'),
    },
    { at: 'skipIf', kind: 'condition', label: 'Skip the question if', isMore: true },
    {
      at: 'offerPerson',
      kind: 'flag',
      isOnByDefault: true,
      label: 'Offer a person after a reply that isn’t understood',
      isMore: true,
    },
  ],
  branch: [
    { at: 'paths', kind: 'paths', label: 'Paths', needed: 'Complete the conditions.' },
    { at: 'else', kind: 'target', label: 'Otherwise' },
  ],
  hours: [
    { at: 'open', kind: 'target', label: 'While you’re open' },
    { at: 'closed', kind: 'target', label: 'While you’re closed' },
    {
      at: 'hoursId',
      kind: 'one',
      of: 'hours',
      label: 'Business hours',
      empty: 'The default ones',
      isMore: true,
    },
  ],
  wait: [
    {
      at: 'until',
      kind: 'select',
      label: 'Wait',
      choices: [
        { value: 'time', label: 'For a time' },
        { value: 'reply', label: 'For a reply' },
        { value: 'opening', label: 'Until you open' },
      ],
      first: 'time',
    },
    { at: 'for', kind: 'duration', label: 'How long', hint: 'For a reply: at most. 30 days is the limit.' },
    {
      at: 'onReply',
      kind: 'select',
      label: 'If the customer writes meanwhile',
      choices: [
        { value: 'continue', label: 'Continue with the next step' },
        { value: 'ignore', label: 'Keep waiting' },
        { value: 'cancel', label: 'End the flow' },
      ],
      first: 'ignore',
      isMore: true,
      isShown: (step) => step.type === 'wait' && step.until !== 'reply',
    },
  ],
  set: [{ at: 'set', kind: 'sets', label: 'Values' }],
  tag: [
    { at: 'add', kind: 'several', of: 'tag', label: 'Add' },
    { at: 'remove', kind: 'several', of: 'tag', label: 'Remove' },
  ],
  assign: [{ at: 'to', kind: 'assign', label: 'Assign to' }, TEAM],
  note: [{ at: 'text', kind: 'area', label: 'Note', needed: 'Enter the note.' }],
  close: [],
  call: [
    { at: 'actionId', kind: 'one', of: 'action', label: 'Action', needed: 'Choose an action.' },
    { at: 'with', kind: 'values', label: 'Values to send' },
    {
      at: 'keep',
      kind: 'plain',
      label: 'Save the result as',
      hint: 'Then texts can use it, e.g. {{call.order.status}} for “order”.',
    },
    { at: 'paths.notFound', kind: 'target', label: 'If nothing is found', empty: 'Same as if it fails' },
    {
      at: 'paths.refused',
      kind: 'target',
      label: 'If it’s refused',
      empty: 'Same as if it fails',
      isMore: true,
    },
  ],
  ai: [
    { at: 'goal', kind: 'area', label: 'Goal', hint: 'What the AI agent should achieve or find out.' },
    { at: 'collect', kind: 'names', label: 'Collect', hint: 'Variables, separated by commas.' },
    { at: 'onDone', kind: 'target', label: 'When it’s done', empty: NEXT },
    { at: 'onGiveUp', kind: 'target', label: 'When it gives up', empty: 'Hand over to the team' },
    { at: 'turnsMax', kind: 'number', label: 'Replies at most', min: 1, max: 30, isMore: true },
  ],
  people: [
    {
      at: 'text',
      kind: 'text',
      label: 'Message to the customer',
      hint: 'Optional, e.g. that somebody will reply.',
    },
    { at: 'assign', kind: 'one', of: 'agent', label: 'Assign to', empty: 'Nobody in particular' },
    TEAM,
    {
      at: 'summary',
      kind: 'select',
      label: 'Internal note',
      choices: [
        { value: 'answers', label: 'What the customer replied' },
        { value: 'ai', label: 'A summary by the AI agent' },
        { value: 'none', label: 'None' },
      ],
      first: 'answers',
    },
  ],
  flow: [
    { at: 'flowId', kind: 'one', of: 'flow', label: 'Flow', needed: 'Choose a flow.' },
    {
      at: 'as',
      kind: 'select',
      label: 'Run it',
      choices: [
        { value: 'part', label: 'As a part, then continue here' },
        { value: 'instead', label: 'Instead of this flow' },
      ],
      first: 'part',
    },
    { at: 'with', kind: 'mapping', label: 'Pass on', isMore: true },
  ],
  split: [{ at: 'paths', kind: 'split', label: 'Shares' }],
  goto: [{ at: 'to', kind: 'target', label: 'Go to' }],
}

/** What every step has. */
export const COMMON_FIELDS: Field[] = [
  {
    at: 'onFailed',
    kind: 'target',
    label: 'If it fails',
    empty: 'The flow ends and hands over to the team',
    isMore: true,
  },
  { at: 'isOff', kind: 'flag', label: 'Skip this step', isMore: true },
  { at: 'note', kind: 'plain', label: 'Comment', hint: 'Only for those who edit the flow.', isMore: true },
]

export const fieldsOf = (step: Step): Field[] =>
  [...FIELDS[step.type], ...COMMON_FIELDS]
    .filter(({ isShown }) => isShown?.(step) ?? true)
    // A call fails often enough for everyone to decide on it, and other choices of a call refer to this one.
    .map((field) =>
      step.type === 'call' && field.at === 'onFailed' ? { ...field, isMore: undefined } : field,
    )
