// The language model, in place of a phone: what it is asked, and a person who answers for it.
import { ArrowLeft, SlidersHorizontal } from 'lucide-react'
import { IconButton } from '../../console/ui/button.tsx'
import { brainName, failureName } from './brains.ts'
import type { ShownModel } from './client.ts'
import { ModelAnswer } from './model-answer.tsx'
import { closeScreen, timeOf, update, useStore } from './store.ts'

type Request = ShownModel['waiting'][number]
type Entry = Request['heard']['entries'][number]
type Answered = ShownModel['answered'][number]

export const Model = () => {
  const { model } = useStore()
  const [request, ...others] = model?.waiting ?? []
  return (
    <main className="phone" data-app="model">
      <header>
        <IconButton icon={ArrowLeft} label="All customers" className="back" onClick={closeScreen} />
        <div className="stack stack--tight grow">
          <h1 className="hidden-visually">Language model</h1>
          <b>Language model</b>
          <small className="truncate">
            {others.length > 0
              ? `${others.length} more waiting`
              : `Answered by: ${brainName(model?.brain ?? null)}`}
          </small>
        </div>
        <IconButton
          icon={SlidersHorizontal}
          label="Tools"
          className="open-tools"
          onClick={() => update({ areToolsOpen: true })}
        />
      </header>
      {request ? (
        <>
          <Asked request={request} />
          <ModelAnswer key={request.id} request={request} />
        </>
      ) : (
        model && <Idle model={model} />
      )}
    </main>
  )
}

/** Opens at what was said last. */
const toEnd = (list: HTMLElement | null): void => {
  if (list) list.scrollTop = list.scrollHeight
}

const Asked = ({ request: { id, heard, wire } }: { request: Request }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
  <section key={id} ref={toEnd} className="messages model" aria-label="Request" tabIndex={0}>
    <p className="text-soft text-small">
      {heard.model} · {WIRES[wire]}
    </p>
    <details>
      <summary>System prompt</summary>
      <pre className="model__text">{heard.system}</pre>
    </details>
    <details>
      <summary>Tools ({heard.tools.length})</summary>
      {heard.tools.map(({ name, description, parameters }) => (
        <div key={name} className="stack stack--tight">
          <b className="mono">{name}</b>
          <p className="text-small">{description}</p>
          <pre className="model__text">{JSON.stringify(parameters, null, 2)}</pre>
        </div>
      ))}
    </details>
    {heard.entries.map((entry, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a request never changes
      <Said key={at} entry={entry} />
    ))}
  </section>
)

const WIRES = { chat: 'Chat Completions', responses: 'Responses', messages: 'Messages' } as const

const WHO = {
  user: 'Customer or material',
  assistant: 'Said before',
  call: 'Called',
  result: 'Result',
} as const

const Said = ({ entry }: { entry: Entry }) => (
  <div className={`model__entry model__entry--${entry.from}`}>
    <small>
      {WHO[entry.from]}
      {entry.from === 'call' && ` ${entry.name}`}
    </small>
    <pre className="model__text" dir="auto">
      {'text' in entry ? entry.text : JSON.stringify(entry.given, null, 2)}
    </pre>
  </div>
)

const Idle = ({ model }: { model: ShownModel }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
  <section ref={toEnd} className="messages model" aria-label="Requests" tabIndex={0}>
    {model.answered.length === 0 ? (
      <div className="stack stack--tight model__start">
        <b>No requests yet</b>
        <p>
          To send the AI agent’s requests here, go to Settings → AI agent in the console and connect Chat
          Completions with the address <code>{model.url}/v1</code>, the model <code>sandbox-person</code>, and{' '}
          {model.needsKey ? 'the sandbox’s key' : 'any key'}.
        </p>
      </div>
    ) : (
      <>
        {model.brain === 'sandbox-person' && (
          <p className="text-soft">You’re the model. Requests will appear here.</p>
        )}
        {model.answered.map((answered) => (
          <Earlier key={answered.id} answered={answered} />
        ))}
      </>
    )}
  </section>
)

const Earlier = ({ answered: { atMs, said, brain, answer, fault } }: { answered: Answered }) => (
  <div className="model__entry">
    <small>
      {timeOf(atMs)} · {brainName(brain)}
      {fault !== null && ` · ${failureName(fault)}`}
    </small>
    <p className="model__said" dir="auto">
      {said}
    </p>
    <pre className="model__text" dir="auto">
      {[
        ...(answer.text === undefined ? [] : [answer.text]),
        ...(answer.calls ?? []).map((call) => `${call.name} ${JSON.stringify(call.arguments, null, 2)}`),
      ].join('\n')}
    </pre>
  </div>
)
