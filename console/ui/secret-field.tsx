import { Eye, EyeOff, Pencil, Trash2, Undo2, WandSparkles } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { Badge } from './badge.tsx'
import { Button, IconButton } from './button.tsx'
import { FormField, useFieldProblem } from './field.tsx'

type State = 'kept' | 'entered' | 'removed'

const MADE_BYTES = 24

/** Letters, digits, - and _: what every provider takes. */
const makeSecret = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(MADE_BYTES))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')

/**
 * A secret that goes in and never comes out. One that is set says so and stays as it is, unless it is replaced; then, and
 * when it is new, it is in the form under `name`. One that is taken away is in the form as `<name>:remove`.
 */
export const SecretField = ({
  label,
  name,
  hint,
  placeholder,
  isSet = false,
  isOptional = false,
  isOwn = false,
  maxLength,
}: {
  label: string
  name: string
  hint?: ReactNode
  placeholder?: string
  isSet?: boolean
  /** One that is set can be taken away. */
  isOptional?: boolean
  /** We choose it, and tell the other side: it can be made up here. */
  isOwn?: boolean
  maxLength?: number
}) => {
  const [state, setState] = useState<State>(isSet ? 'kept' : 'entered')
  /** The button that was pressed is gone then: what stands in its place takes the focus. */
  const [hasMoved, setMoved] = useState(false)
  const go = (next: State) => {
    setState(next)
    setMoved(true)
  }
  const [isShown, setShown] = useState(false)
  const [text, setText] = useState('')
  const id = useId()
  const problem = useFieldProblem(name)
  const isWrong = problem !== undefined || undefined
  if (state !== 'entered')
    return (
      <div className="field">
        <span className="field__label">{label}</span>
        <div className="row row--wrap">
          {state === 'kept' ? (
            <>
              <input type="hidden" name={`${name}:kept`} value="yes" />
              <Badge tone="ok">Set</Badge>
              <Button
                size="small"
                variant="ghost"
                icon={Pencil}
                aria-label={`Replace: ${label}`}
                aria-describedby={problem && id}
                data-invalid={isWrong}
                autoFocus={hasMoved}
                onClick={() => go('entered')}
              >
                Replace
              </Button>
              {isOptional && (
                <Button
                  size="small"
                  variant="ghost"
                  icon={Trash2}
                  aria-label={`Remove: ${label}`}
                  onClick={() => go('removed')}
                >
                  Remove
                </Button>
              )}
            </>
          ) : (
            <>
              <input type="hidden" name={`${name}:remove`} value="yes" />
              <span className="text-soft" role="status">
                Removed when you save.
              </span>
              <Button
                size="small"
                variant="ghost"
                icon={Undo2}
                aria-label={`Keep: ${label}`}
                aria-describedby={problem && id}
                data-invalid={isWrong}
                autoFocus
                onClick={() => go('kept')}
              >
                Keep it
              </Button>
            </>
          )}
        </div>
        {problem && (
          <p id={id} className="field__problem" role="alert">
            {problem}
          </p>
        )}
      </div>
    )
  return (
    <FormField label={label} hint={hint} name={name}>
      {(wiring) => (
        <div className="row">
          <input
            {...wiring}
            name={name}
            type={isShown ? 'text' : 'password'}
            // A browser that offers to remember it would fill it in elsewhere.
            autoComplete="new-password"
            spellCheck={false}
            // biome-ignore lint/a11y/noAutofocus: see hasMoved
            autoFocus={hasMoved}
            className="input text-mono"
            placeholder={placeholder}
            maxLength={maxLength}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {isOwn && (
            <IconButton
              icon={WandSparkles}
              label={`Make one up: ${label}`}
              onClick={() => {
                setText(makeSecret())
                setShown(true)
              }}
            />
          )}
          <IconButton
            icon={isShown ? EyeOff : Eye}
            label={`${isShown ? 'Hide' : 'Show'}: ${label}`}
            onClick={() => setShown(!isShown)}
          />
          {isSet && (
            <IconButton
              icon={Undo2}
              label={`Keep the one that is set: ${label}`}
              onClick={() => {
                setText('')
                go('kept')
              }}
            />
          )}
        </div>
      )}
    </FormField>
  )
}
