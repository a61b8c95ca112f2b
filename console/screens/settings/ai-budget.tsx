// What the AI agent's model may cost, and has cost.
import { useState } from 'react'
import { costOf } from '../../state/amounts.ts'
import type { AiSettings, AiSettingsAnswer } from '../../state/types.ts'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'

type Budget = AiSettings['budget']

const MILLION = 1_000_000

const toText = (millionths: number | null): string =>
  millionths === null ? '' : String(millionths / MILLION)

const toMillionths = (text: string): number | null =>
  text === '' ? null : Math.round(Number(text) * MILLION)

type Props = {
  budget: Budget
  spending: AiSettingsAnswer['spending']
  onChange: (budget: Budget) => void
}

export const AiBudget = ({ budget, spending, onChange }: Props) => (
  <Section
    title={t`Budget`}
    about={t`Admins get an email at 80%. When it’s used up, the agent only gives your saved answers and hands over what it can’t answer. Needs the prices of your model.`}
  >
    <div className="grid-2">
      <Amount label={t`Per day`} period="day" {...{ budget, spending, onChange }} />
      <Amount label={t`Per month`} period="month" {...{ budget, spending, onChange }} />
    </div>
  </Section>
)

const Amount = ({
  label,
  period,
  budget,
  spending,
  onChange,
}: Props & { label: string; period: keyof Budget }) => {
  const [text, setText] = useState(toText(budget[period]))
  const spent = spending.find((one) => one.period === period)
  const currency = spent?.currency ?? 'USD'
  return (
    <TextField
      label={`${label} (${currency})`}
      name={`budget.${period}`}
      type="number"
      min={0}
      step="any"
      value={text}
      placeholder={t`No limit`}
      hint={t`${costOf(spent?.cost ?? 0, currency)} used ${period === 'day' ? t`today` : t`this month`} (UTC)`}
      onChange={({ target }) => {
        setText(target.value)
        onChange({ ...budget, [period]: toMillionths(target.value) })
      }}
    />
  )
}
