import { CircleCheck, CircleSlash, CircleX } from 'lucide-react'
import { t } from '../words/t.ts'

/** `ok` is null for what couldn't be tried. */
type Check = { name: string; ok: boolean | null; message: string }

const LOOKS = {
  ok: { Icon: CircleCheck, label: t`OK` },
  bad: { Icon: CircleX, label: t`Failed` },
  untried: { Icon: CircleSlash, label: t`Not tried` },
} as const

const lookOf = (ok: boolean | null): keyof typeof LOOKS => (ok === null ? 'untried' : ok ? 'ok' : 'bad')

/** Results of a check, announced to screen readers as they arrive. */
export const CheckList = ({ checks }: { checks: Check[] }) => (
  <ul className="checks">
    {checks.map(({ name, ok, message }) => {
      const look = lookOf(ok)
      const { Icon, label } = LOOKS[look]
      return (
        <li key={name} className={`checks__line checks__line--${look}`}>
          <Icon size={16} role="img" aria-label={label} />
          <div>
            <div className="text-strong">{name}</div>
            <div className="text-soft user-text">{message}</div>
          </div>
        </li>
      )
    })}
  </ul>
)
