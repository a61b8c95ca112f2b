// The webhook receiver, in place of a phone: what came, newest first, with what is right and wrong about it.
import { ArrowLeft, SlidersHorizontal } from 'lucide-react'
import { Badge } from '../../console/ui/badge.tsx'
import { IconButton } from '../../console/ui/button.tsx'
import { CopyField } from '../../console/ui/copy-field.tsx'
import type { ShownReceiver } from './client.ts'
import { closeScreen, update, useStore } from './store.ts'

type Received = ShownReceiver['received'][number]

export const Receiver = () => {
  const { receiver } = useStore()
  return (
    <main className="phone" data-app="receiver">
      <header>
        <IconButton icon={ArrowLeft} label="All customers" className="back" onClick={closeScreen} />
        <div className="stack stack--tight grow">
          <h1 className="hidden-visually">Webhook receiver</h1>
          <b>Webhook receiver</b>
          <small className="truncate">
            {receiver?.hasSecret ? 'Checks signatures' : 'Signatures aren’t checked yet'}
          </small>
        </div>
        <IconButton
          icon={SlidersHorizontal}
          label="Tools"
          className="open-tools"
          onClick={() => update({ areToolsOpen: true })}
        />
      </header>
      {receiver && <Log receiver={receiver} />}
    </main>
  )
}

const Log = ({ receiver: { url, received } }: { receiver: ShownReceiver }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
  <section className="messages receiver" aria-label="Webhooks" tabIndex={0}>
    {received.length === 0 ? (
      <div className="stack receiver__start">
        <b>No webhooks yet</b>
        <p>
          In the console, go to Settings → Webhooks and create a webhook with this URL. Then paste its signing
          secret into the tools here.
        </p>
        <CopyField label="URL" value={url} />
      </div>
    ) : (
      received.map((one) => <Entry key={one.number} one={one} />)
    )}
  </section>
)

const VERDICTS: Record<Received['verdict'], { tone: 'ok' | 'warn' | 'danger'; text: string }> = {
  valid: { tone: 'ok', text: 'Valid signature' },
  'no-secret': { tone: 'warn', text: 'Not checked' },
  'no-headers': { tone: 'danger', text: 'Not signed' },
  'no-timestamp': { tone: 'danger', text: 'Timestamp isn’t a number' },
  'too-old': { tone: 'danger', text: 'More than five minutes old' },
  'too-new': { tone: 'danger', text: 'More than five minutes ahead' },
  'wrong-signature': { tone: 'danger', text: 'Wrong signature' },
}

const Entry = ({ one }: { one: Received }) => {
  const { event, atMs, status, verdict, isRepeat, isLate, missing, headers, body } = one
  const { tone, text } = VERDICTS[verdict]
  const attempt = Number(headers['foyer-attempt'])
  const kind = headers['foyer-kind']
  return (
    <article className="receiver__entry">
      <header className="row row--wrap">
        <b className="grow">{event.type ?? 'Request without an event'}</b>
        <small className="text-soft numeric">
          {event.sequence !== null && `#${event.sequence} · `}
          {new Date(atMs).toLocaleTimeString(undefined, { hour12: false })}
        </small>
      </header>
      <div className="row row--wrap">
        <Badge tone={tone}>{text}</Badge>
        <Badge tone={status === 200 ? 'plain' : 'danger'}>
          {status === null ? 'No response' : `Responded ${status}`}
        </Badge>
        {kind !== undefined && kind !== 'live' && <Badge>{kind === 'test' ? 'Test' : 'Replay'}</Badge>}
        {attempt > 1 && <Badge>Attempt {attempt}</Badge>}
        {isRepeat && <Badge tone="warn">Repeat</Badge>}
        {isLate && <Badge tone="warn">Out of order</Badge>}
        {missing !== null && <Badge tone="warn">#{missing} hasn’t come</Badge>}
      </div>
      <details>
        <summary>Headers and body</summary>
        <dl className="receiver__headers">
          {Object.entries(headers).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <pre className="model__text mono" dir="auto">
          {indented(body)}
        </pre>
      </details>
    </article>
  )
}

const indented = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
