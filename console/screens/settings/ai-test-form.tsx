// A test of the workspace: what the customer writes, and what should happen.
import { Plus, Trash2 } from 'lucide-react'
import { CHANNEL_NAMES, CHANNELS, type ChannelName } from '../../../channels/names.ts'
import type { OwnTest } from '../../state/ai-tests.ts'
import { Button } from '../../ui/button.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { ListField } from '../../ui/list-field.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { HAND_OVER_CHOICES } from '../inbox/ai-words.ts'

const TURNS_MAX = 20
const LINES_MAX = 10
const LINE_MAX = 200

type Props = { draft: OwnTest; onChange: (change: Partial<OwnTest>) => void }

export const AiTestFields = ({ draft, onChange }: Props) => (
  <>
    <Section title={t`Customer`}>
      <div className="stack stack--fields">
        <TextField
          label={t`Name`}
          name="scenario.name"
          value={draft.name}
          maxLength={160}
          placeholder={t`e.g. Asks for the price of shipping`}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <Select
          label={t`Channel`}
          value={draft.channel}
          options={CHANNELS.map((value) => ({ value, label: CHANNEL_NAMES[value] }))}
          onChange={({ target }) => onChange({ channel: target.value as ChannelName })}
        />
        <Turns draft={draft} onChange={onChange} />
      </div>
    </Section>
    <Section
      title={t`Expected`}
      about={t`How it ends and what it says. Don’t expect exact wording: a model phrases things differently each time.`}
    >
      <Expected draft={draft} onChange={onChange} />
    </Section>
  </>
)

/** Several messages in a row are typed with an empty line between them. */
const GAP = '\n\n'

const Turns = ({ draft: { turns }, onChange }: Props) => {
  const setTurn = (at: number, text: string) =>
    onChange({
      turns: turns.map((turn, index) => (index === at ? { ...turn, customer: text.split(/\n\s*\n/) } : turn)),
    })
  return (
    <>
      {turns.map((turn, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns have no names
        <div key={at} className="stack stack--tight">
          <TextArea
            label={turns.length === 1 ? t`Customer writes` : t`Customer writes (${at + 1})`}
            name={`scenario.turns[${at}]`}
            value={turn.customer.join(GAP)}
            rows={3}
            hint={at === 0 ? t`Leave an empty line between messages that come in a row.` : undefined}
            onChange={({ target }) => setTurn(at, target.value)}
          />
          {turns.length > 1 && (
            <div className="row">
              <Button
                size="small"
                icon={Trash2}
                onClick={() => onChange({ turns: turns.filter((_, index) => index !== at) })}
              >
                {t`Remove`}
              </Button>
            </div>
          )}
        </div>
      ))}
      {turns.length < TURNS_MAX && (
        <div className="row">
          <Button
            size="small"
            icon={Plus}
            onClick={() => onChange({ turns: [...turns, { customer: [''] }] })}
          >
            {t`Add message after the reply`}
          </Button>
        </div>
      )}
    </>
  )
}

const ENDS = [
  { value: 'any', label: t`Anything` },
  { value: 'ai', label: t`The agent keeps the conversation` },
  { value: 'silent', label: t`The agent doesn’t reply` },
  { value: 'team', label: t`The conversation goes to the team` },
]

type Expect = OwnTest['expect']

const endOf = ({ has, decision }: Expect): string => decision ?? has ?? 'any'

/** Without what another end leaves without a meaning. */
const withEnd = ({ has: _, decision: __, reason: ___, ...expect }: Expect, end: string): Expect => {
  if (end === 'silent') return { ...expect, has: 'ai', decision: 'silent' }
  return end === 'any' ? expect : { ...expect, has: end as 'ai' | 'team' }
}

const LISTS = [
  { key: 'mustUse', label: t`Uses`, hint: t`Titles of articles and answers, one a line.` },
  { key: 'mustSay', label: t`Says`, hint: t`Words that one of its messages has to contain, one a line.` },
  { key: 'never', label: t`Doesn’t say`, hint: t`Words that none of its messages may contain, one a line.` },
] as const

const Expected = ({ draft: { expect }, onChange }: Props) => {
  const set = (next: Expect) => onChange({ expect: next })
  return (
    <div className="stack stack--fields">
      <Select
        label={t`How it ends`}
        name="scenario.expect"
        value={endOf(expect)}
        options={ENDS}
        onChange={({ target }) => set(withEnd(expect, target.value))}
      />
      {expect.has === 'team' && (
        <Select
          label={t`Because`}
          value={expect.reason ?? ''}
          options={[{ value: '', label: t`any reason` }, ...HAND_OVER_CHOICES]}
          onChange={({ target }) => {
            const { reason: _, ...rest } = expect
            // The choices are the server's reasons.
            set(
              target.value === '' ? rest : { ...rest, reason: target.value as NonNullable<Expect['reason']> },
            )
          }}
        />
      )}
      {LISTS.map(({ key, label, hint }) => (
        <ListField
          key={key}
          label={label}
          hint={hint}
          items={expect[key] ?? []}
          itemsMax={LINES_MAX}
          areLines
          read={(text) => (text.length <= LINE_MAX ? text : null)}
          problem={t`Each line has at most ${LINE_MAX} characters.`}
          onChange={(items) => {
            const { [key]: _, ...rest } = expect
            set(items.length === 0 ? rest : { ...rest, [key]: items })
          }}
        />
      ))}
    </div>
  )
}
