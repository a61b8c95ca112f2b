// The reactions below a message. The team's can be taken away, if the channel takes reactions now.
import { TriangleAlert } from 'lucide-react'
import type { Message } from '../../state/types.ts'
import { classNames } from '../../ui/class-names.ts'
import { Tooltip } from '../../ui/tooltip.tsx'
import { t } from '../../words/t.ts'
import type { Reaction } from './metadata.ts'
import { useReact } from './use-react.ts'

const labelOf = (
  { isOurs, name, isQueued, isFailed, problem, instead }: Reaction,
  customer: string,
): string => {
  const why = problem ?? t`No reason given.`
  if (!isOurs) return t`${customer} reacted`
  if (isFailed && instead !== null) return t`Not sent: ${why} The customer still sees ${instead}.`
  if (isFailed) return t`Not sent: ${why}`
  if (problem !== null) return t`Not taken away: ${why}`
  if (isQueued) return name === null ? t`Sending your team’s reaction` : t`Sending the reaction of ${name}`
  return name === null ? t`Your team reacted` : t`${name} reacted`
}

const Reactions = ({
  message,
  reactions,
  mayReact,
}: {
  message: Message
  reactions: readonly Reaction[]
  mayReact: boolean
}) => {
  const { react, isBusy } = useReact(message)
  return (
    <ul className="reactions" aria-label={t`Reactions`}>
      {reactions.map((reaction) => {
        const label = labelOf(reaction, message.sender.nickname)
        const { emoji, isOurs, isQueued, isFailed, problem } = reaction
        const look = classNames(
          'reactions__one',
          isQueued && 'reactions__one--queued',
          (isFailed || problem !== null) && 'reactions__one--failed',
        )
        const shown = (
          <>
            {emoji}
            {(isFailed || problem !== null) && <TriangleAlert size={12} aria-hidden />}
          </>
        )
        return (
          <li key={isOurs ? 'ours' : 'theirs'}>
            {isOurs && mayReact ? (
              <Tooltip label={label}>
                <button
                  type="button"
                  className={look}
                  aria-label={t`Take away ${emoji}: ${label}`}
                  disabled={isBusy}
                  onClick={() => react(null)}
                >
                  {shown}
                </button>
              </Tooltip>
            ) : (
              <Tooltip label={label}>
                <span className={look} role="img" aria-label={`${emoji} ${label}`}>
                  {shown}
                </span>
              </Tooltip>
            )}
          </li>
        )
      })}
    </ul>
  )
}

export default Reactions
