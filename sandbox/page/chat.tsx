// A message thread in any app but mail, with its input field.
import { Plus, SendHorizontal, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '../../console/ui/button.tsx'
import { EmptyState } from '../../console/ui/empty-state.tsx'
import { Popover } from '../../console/ui/popover.tsx'
import { toastError } from '../../console/ui/toast.tsx'
import { APPS, type MenuEntry } from './apps.ts'
import { type Actions, Bubble } from './bubble.tsx'
import { QuickReplies } from './buttons.tsx'
import { type App, type Entry, edit, fileOf, type Json, type Person, write } from './client.ts'
import { previewOf } from './content.tsx'
import { ListSheet } from './list-sheet.tsx'
import { dayOf, useStore } from './store.ts'

const INPUT_HEIGHT_MAX_PX = 140
const TEXT_MAX = 4096

/** The message that is being quoted or edited. */
type About = { entry: Entry; isEdit: boolean } | null

export const Chat = ({ person, app }: { person: Person; app: App }) => {
  const { numberId, entries } = useStore()
  const [list, setList] = useState<Entry | null>(null)
  const [about, setAbout] = useState<About>(null)
  const [text, setText] = useState('')
  const stopAbout = () => {
    if (about?.isEdit) setText('')
    setAbout(null)
  }
  const send = (message: Json): void => {
    const replyTo = about && !about.isEdit && { replyTo: about.entry.id }
    setAbout(null)
    write(person, app, {
      ...(app === 'whatsapp' && { phoneNumberId: numberId }),
      ...message,
      ...replyTo,
    }).catch(toastError)
  }
  const sendText = (): void => {
    const written = text.trim()
    if (!written) return
    setText('')
    if (about?.isEdit) {
      setAbout(null)
      edit(person, about.entry.id, written).catch(toastError)
    } else send({ type: 'text', text: written })
  }
  const actions: Actions = {
    tap: (entry, choice) => send({ type: 'tap', messageId: entry.id, choice }),
    openList: setList,
    react: (entry, emoji) => send({ type: 'reaction', messageId: entry.id, emoji }),
    quote: (entry) => setAbout({ entry, isEdit: false }),
    edit: (entry) => {
      setText(String(entry.content.text))
      setAbout({ entry, isEdit: true })
    },
  }
  return (
    <>
      <Thread app={app} actions={actions} />
      <QuickReplies last={entries?.at(-1)} tap={actions.tap} />
      <form
        className="write"
        onSubmit={(event) => {
          event.preventDefault()
          sendText()
        }}
      >
        {about && (
          <div className="quote write__about">
            <span className="grow truncate" dir="auto">
              {about.isEdit ? 'Editing message' : previewOf(about.entry)}
            </span>
            <IconButton icon={X} label={about.isEdit ? 'Cancel edit' : 'Remove quote'} onClick={stopAbout} />
          </div>
        )}
        <div className="row row--end">
          <Attach menu={APPS[app].menu} send={send} />
          <Input text={text} about={about} onChange={setText} onSend={sendText} onStop={stopAbout} />
          <IconButton icon={SendHorizontal} label="Send" type="submit" variant="primary" />
        </div>
      </form>
      {list && (
        <ListSheet
          entry={list}
          onClose={() => setList(null)}
          onSend={(choice) => {
            setList(null)
            actions.tap(list, choice)
          }}
        />
      )}
    </>
  )
}

const Thread = ({ app, actions }: { app: App; actions: Actions }) => {
  const { entries: all, numberId, isTyping } = useStore()
  const box = useRef<HTMLDivElement>(null)
  const entries = all?.filter((entry) => app !== 'whatsapp' || entry.phoneNumberId === numberId)
  // Also runs when the last entry grows, e.g. by an error or a reaction.
  const end = JSON.stringify([entries?.length, entries?.at(-1), isTyping])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the end of the thread changes, not when a value read here does
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }, [end])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <div ref={box} className="messages" role="log" aria-label="Messages" tabIndex={0}>
      {entries?.length === 0 && (
        <EmptyState title="No messages yet">
          Write one. The business gets it as it would from {APPS[app].name}.
        </EmptyState>
      )}
      {entries?.map((entry, index) => {
        const before = entries[index - 1]
        const isNewDay = !before || dayOf(before.atMs) !== dayOf(entry.atMs)
        return [
          isNewDay && (
            <div key={`day before ${entry.id}`} className="day">
              {dayOf(entry.atMs)}
            </div>
          ),
          <Bubble
            key={entry.id}
            entry={entry}
            quoted={entry.replyTo ? entries.find(({ id }) => id === entry.replyTo) : undefined}
            isFollowing={!isNewDay && before.from === entry.from}
            app={app}
            actions={actions}
          />,
        ]
      })}
      {isTyping && (
        <div className="typing" role="status" aria-label="The business is typing">
          <i />
          <i />
          <i />
        </div>
      )}
    </div>
  )
}

const Input = ({
  text,
  about,
  onChange,
  onSend,
  onStop,
}: {
  text: string
  about: About
  onChange: (text: string) => void
  onSend: () => void
  onStop: () => void
}) => {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    const { current } = field
    if (!current) return
    current.style.height = 'auto'
    current.style.height = `${text ? Math.min(INPUT_HEIGHT_MAX_PX, current.scrollHeight + 2) : 0}px`
  }, [text])
  // On a phone the keyboard would cover the thread that was just opened.
  useEffect(() => {
    if (about || matchMedia('(min-width: 900px)').matches) field.current?.focus()
  }, [about])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      onSend()
    }
    if (event.key === 'Escape') onStop()
  }
  return (
    <textarea
      ref={field}
      className="write__field"
      rows={1}
      dir="auto"
      placeholder="Message"
      aria-label="Message"
      maxLength={TEXT_MAX}
      enterKeyHint="send"
      value={text}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
    />
  )
}

const Attach = ({ menu, send }: { menu: MenuEntry[]; send: (message: Json) => void }) => {
  const [isOpen, setOpen] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const fileType = useRef('image')
  const choose = (entry: MenuEntry): void => {
    setOpen(false)
    if ('message' in entry) {
      send(entry.message())
      return
    }
    fileType.current = entry.type
    picker.current!.accept = entry.accept
    picker.current!.click()
  }
  const sendFile = async (file: File): Promise<void> =>
    send({ type: fileType.current, ...(await fileOf(file)) })
  return (
    <>
      <Popover
        trigger={<IconButton icon={Plus} label="Attach" />}
        label="Attachments"
        side="top"
        align="start"
        isOpen={isOpen}
        onOpenChange={setOpen}
      >
        {menu.map((entry) => (
          <button key={entry.label} type="button" className="menu__item" onClick={() => choose(entry)}>
            <entry.icon size={16} aria-hidden />
            {entry.label}
          </button>
        ))}
      </Popover>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="File"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          target.value = ''
          if (file) sendFile(file).catch(toastError)
        }}
      />
    </>
  )
}
