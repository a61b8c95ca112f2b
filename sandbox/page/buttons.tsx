// The buttons below a message, as its app shows them: WhatsApp's buttons and lists, Telegram's inline keyboards.
import { Copy, ExternalLink, List, Phone, Reply } from 'lucide-react'
import { Spinner } from '../../console/ui/spinner.tsx'
import type { Entry } from './client.ts'
import { OUTSIDE } from './content.tsx'

type Actions = { tap: (entry: Entry, choice: string) => void; openList: (entry: Entry) => void }

export const Buttons = ({ entry, actions }: { entry: Entry; actions: Actions }) => {
  const { buttons = [], sections, listLabel, keyboard } = entry.content
  if (keyboard) return <Keyboard entry={entry} onTap={(data) => actions.tap(entry, data)} />
  if (sections)
    return (
      <div className="buttons">
        <button type="button" aria-haspopup="dialog" onClick={() => actions.openList(entry)}>
          <List size={16} aria-hidden />
          {listLabel ?? 'Choose'}
        </button>
      </div>
    )
  if (buttons.length === 0) return null
  return (
    <div className="buttons">
      {(buttons as ShownButton[]).map((button, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the buttons of a message keep their order
        <MessageButton key={index} button={button} onTap={(choice) => actions.tap(entry, choice)} />
      ))}
    </div>
  )
}

type ShownButton = {
  type?: string
  id?: string
  text?: string
  title?: string
  url?: string
  payload?: string
  phoneNumber?: string
}

const MessageButton = ({ button, onTap }: { button: ShownButton; onTap: (choice: string) => void }) => {
  const label = button.text ?? button.title ?? ''
  if (button.url && /^https?:/.test(button.url))
    return (
      <a href={button.url} title={button.url} {...OUTSIDE}>
        <ExternalLink size={16} aria-hidden />
        {label}
      </a>
    )
  const isTap = button.type === 'QUICK_REPLY' || (button.id !== undefined && !button.url)
  const isCopy = button.type === 'COPY_CODE'
  const Icon = isCopy ? Copy : button.phoneNumber ? Phone : Reply
  return (
    <button
      type="button"
      disabled={!isTap && !isCopy}
      onClick={() =>
        isTap ? onTap(button.id ?? label) : void navigator.clipboard?.writeText(button.payload ?? '')
      }
    >
      <Icon size={16} aria-hidden />
      {label}
    </button>
  )
}

type KeyboardButton = { text: string; callback_data?: string; url?: string }

/** Its buttons are as wide as the message, those of a row equally, and what doesn't fit one is cut as on the phone. */
const Keyboard = ({ entry, onTap }: { entry: Entry; onTap: (data: string) => void }) => (
  <div className="keyboard">
    {(entry.content.keyboard as KeyboardButton[][]).map((row, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a keyboard keep their order
      <div key={at} className="keyboard__row">
        {row.map(({ text, callback_data: data, url }) =>
          data === undefined ? (
            <a key={text} href={url} {...OUTSIDE}>
              <span className="truncate">{text}</span>
            </a>
          ) : (
            <button
              key={data}
              type="button"
              aria-busy={entry.content.tapped === data}
              onClick={() => onTap(data)}
            >
              <span className="truncate" dir="auto">
                {text}
              </span>
              {entry.content.tapped === data && <Spinner />}
            </button>
          ),
        )}
      </div>
    ))}
  </div>
)

type QuickReply = { title: string; payload: string }

/** Messenger's, above the input field until the next message. */
export const QuickReplies = ({ last, tap }: { last: Entry | undefined; tap: Actions['tap'] }) => {
  const replies: QuickReply[] = (last?.from === 'business' && last.content.quickReplies) || []
  if (!last || replies.length === 0) return null
  return (
    <section className="quick-replies" aria-label="Quick replies">
      {replies.map(({ title, payload }) => (
        <button key={payload} type="button" dir="auto" onClick={() => tap(last, payload)}>
          {title}
        </button>
      ))}
    </section>
  )
}
