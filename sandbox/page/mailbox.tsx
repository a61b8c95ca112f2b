// The customer's mailbox: the list, one email, and the form to write one.
import { FileText } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../console/ui/button.tsx'
import { EmptyState } from '../../console/ui/empty-state.tsx'
import { TextArea, TextField } from '../../console/ui/field.tsx'
import { toastError } from '../../console/ui/toast.tsx'
import { fileOf, type Mail, mailHtmlUrl, mailPartUrl, type Person, readMail, writeMail } from './client.ts'
import { dayOf, refresh, shortTimeOf, timeOf, useStore } from './store.ts'

const SUBJECT_MAX = 300
const STATES = { true: 'Delivered', false: 'Rejected', null: 'Sending' }
const nameIn = (from: string): string => from.replace(/(?<!\s)\s*<[^<>]*>/, '').replaceAll('"', '') || from

/** The open email's id, a new email, or a reply to one. */
type View = { openId: string } | { answers: Mail | null } | null

export const Mailbox = ({ person }: { person: Person }) => {
  const { mails } = useStore()
  const [view, setView] = useState<View>(null)
  if (view && 'answers' in view) {
    const { answers } = view
    return (
      <Sheet
        person={person}
        answers={answers}
        onSent={() => setView(null)}
        onDiscard={() => setView(answers && { openId: answers.id })}
      />
    )
  }
  const mail = view && mails?.find(({ id }) => id === view.openId)
  if (mail)
    return (
      <Open
        mail={mail}
        onClose={() => setView(null)}
        onReply={() => setView({ answers: mail })}
        onAnswer={(kind) =>
          writeMail(person.id, { kind, replyTo: mail.id }).then(() => setView(null), toastError)
        }
      />
    )
  const open = ({ id, isRead }: Mail): void => {
    setView({ openId: id })
    if (!isRead) readMail(id).then(refresh, toastError)
  }
  return (
    <div className="mailbox">
      <div className="mails">
        {mails?.length === 0 && (
          <EmptyState title="No emails yet">
            Write one. The business gets it as it would from any mail server.
          </EmptyState>
        )}
        {mails?.toReversed().map((mail) => (
          <button
            key={mail.id}
            type="button"
            className={mail.isRead ? undefined : 'unread'}
            onClick={() => open(mail)}
          >
            <b className="truncate" dir="auto">
              {mail.direction === 'written' ? 'You' : nameIn(mail.from)}
            </b>
            <time className="text-soft text-small">{shortTimeOf(mail.atMs)}</time>
            <span className="truncate" dir="auto">
              {mail.subject || 'No subject'}
            </span>
            <span className="truncate text-soft text-small" dir="auto">
              {mail.text.slice(0, 120)}
            </span>
          </button>
        ))}
      </div>
      <div className="mailbox__bar">
        <Button variant="primary" onClick={() => setView({ answers: null })}>
          New email
        </Button>
      </div>
    </div>
  )
}

const Open = ({
  mail,
  onClose,
  onReply,
  onAnswer,
}: {
  mail: Mail
  onClose: () => void
  onReply: () => void
  onAnswer: (kind: 'auto-reply' | 'bounce') => void
}) => {
  const [showsHtml, setShowsHtml] = useState(mail.html)
  const isReceived = mail.direction === 'received'
  return (
    <div className="mailbox">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <article className="letter" tabIndex={0} aria-label="Email">
        <header>
          <h2 dir="auto">{mail.subject || 'No subject'}</h2>
          <p className="text-soft text-small" dir="auto">
            {isReceived ? mail.from : 'You'} · {dayOf(mail.atMs)}, {timeOf(mail.atMs)}
          </p>
          <p className="text-soft text-small" dir="auto">
            to {mail.to}
            {!isReceived && ` · ${STATES[`${mail.isAccepted}`]}`}
          </p>
          {mail.html && (
            <Button size="small" onClick={() => setShowsHtml(!showsHtml)}>
              {showsHtml ? 'Show plain text' : 'Show formatted'}
            </Button>
          )}
        </header>
        {mail.attachments.length > 0 && (
          <div className="row row--wrap letter__files">
            {mail.attachments.map(({ name, size }, index) => (
              <a key={mailPartUrl(mail.id, index)} href={mailPartUrl(mail.id, index)} download={name}>
                <FileText size={16} aria-hidden />
                {name} · {Math.max(1, Math.round(size / 1024))} kB
              </a>
            ))}
          </div>
        )}
        {showsHtml ? (
          <iframe
            src={mailHtmlUrl(mail.id)}
            title="Email"
            sandbox="allow-popups allow-popups-to-escape-sandbox"
          />
        ) : (
          <p className="user-text letter__text">{mail.text || 'This email has no text.'}</p>
        )}
      </article>
      <div className="mailbox__bar">
        <Button onClick={onClose}>Inbox</Button>
        {isReceived && (
          <>
            <Button variant="primary" onClick={onReply}>
              Reply
            </Button>
            <Button onClick={() => onAnswer('auto-reply')}>Auto-reply</Button>
            <Button onClick={() => onAnswer('bounce')}>Bounce</Button>
          </>
        )}
      </div>
    </div>
  )
}

const Sheet = ({
  person,
  answers,
  onSent,
  onDiscard,
}: {
  person: Person
  answers: Mail | null
  onSent: () => void
  onDiscard: () => void
}) => {
  const [subject, setSubject] = useState('')
  const [text, setText] = useState('')
  const [files, setFiles] = useState<File[]>([])
  const picker = useRef<HTMLInputElement>(null)
  const send = async (): Promise<void> => {
    const attachments = await Promise.all(files.map(fileOf))
    const about = answers ? { replyTo: answers.id } : { subject }
    await writeMail(person.id, { kind: 'mail', ...about, text, attachments })
    onSent()
  }
  return (
    <div className="mailbox">
      <div className="mailbox__sheet">
        {answers ? (
          <p className="text-soft text-small" dir="auto">
            Re: {answers.subject}. The original email is quoted below your reply.
          </p>
        ) : (
          <TextField
            label="Subject"
            isLabelHidden
            placeholder="Subject"
            maxLength={SUBJECT_MAX}
            autoFocus
            value={subject}
            onChange={({ target }) => setSubject(target.value)}
          />
        )}
        <TextArea
          label="Message"
          isLabelHidden
          placeholder="Write your email…"
          autoFocus={answers !== null}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="row row--wrap">
          {files.map(({ name }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
            <span key={index} className="row text-small">
              <FileText size={16} aria-hidden />
              {name}
            </span>
          ))}
        </div>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={({ target }) => {
            setFiles([...files, ...(target.files ?? [])])
            target.value = ''
          }}
        />
      </div>
      <div className="mailbox__bar">
        <Button onClick={onDiscard}>Discard</Button>
        <Button onClick={() => picker.current?.click()}>Attach</Button>
        <Button
          variant="primary"
          disabled={!text.trim() && files.length === 0}
          onClick={() => send().catch(toastError)}
        >
          Send
        </Button>
      </div>
    </div>
  )
}
