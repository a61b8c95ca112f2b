// Beside a customer's message: the usual reactions, and all that the channel has.
import { SmilePlus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { ConversationDetails, Message } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { t } from '../../words/t.ts'
import { metaOf } from './metadata.ts'
import { useReact } from './use-react.ts'

const EmojiPicker = lazy(() => import('./emoji-picker.tsx'))

/** Every channel with reactions has these. */
const USUAL = ['👍', '❤️', '🎉', '🙏', '👏', '🔥']

const ReactTo = ({
  message,
  reactions,
}: {
  message: Message
  reactions: ConversationDetails['reactions']
}) => {
  const [isOpen, setOpen] = useState(false)
  const { react, isBusy } = useReact(message)
  const own = metaOf(message).reactions.find(({ isOurs }) => isOurs)
  const choose = (emoji: string): void => {
    setOpen(false)
    react(own?.emoji === emoji && own.problem === null ? null : emoji)
  }
  return (
    <span className="message__action">
      <Popover
        label={t`React`}
        side="top"
        align="start"
        isFlush
        isOpen={isOpen}
        onOpenChange={setOpen}
        trigger={<IconButton icon={SmilePlus} size="small" label={t`React`} disabled={isBusy} />}
      >
        <div>
          <div className="react-to">
            {USUAL.map((emoji) => (
              <button
                key={emoji}
                type="button"
                className="react-to__one"
                aria-label={t`React with ${emoji}`}
                aria-pressed={own?.emoji === emoji}
                onClick={() => choose(emoji)}
              >
                {emoji}
              </button>
            ))}
          </div>
          <Suspense>
            <EmojiPicker onPick={choose} only={reactions === 'any' ? undefined : reactions} />
          </Suspense>
        </div>
      </Popover>
    </span>
  )
}

export default ReactTo
