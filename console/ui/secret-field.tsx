import { Eye, EyeOff, Pencil, Trash2, Undo2, WandSparkles } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { Badge } from './badge.tsx'
import { Button, IconButton } from './button.tsx'
import { FormField, useFieldProblem } from './field.tsx'

type State = 'kept' | 'entered' | 'removed'

const MADE_BYTES = 24

/** Letters, digits, - and _, which every provider accepts. */
const makeSecret = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(MADE_BYTES))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')

/**
 * A write-only secret. If one is set, the field says so and leaves it unchanged unless it is replaced; a new or
 * replaced secret is in the form under `name`. A removed one is in the form as `<name>:remove`.
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
  /** The secret can be removed. */
  isOptional?: boolean
  /** A secret that we choose and give to the provider, so it can be generated here. */
  isOwn?: boolean
  maxLength?: number
}) => {
  const [state, setState] = useState<State>(isSet ? 'kept' : 'entered')
  /** Set once the pressed button is gone: its replacement takes focus. */
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
                Will be removed when you save.
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
                Keep
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
            // A browser that offers to save it would fill it in elsewhere.
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
              label={`Generate: ${label}`}
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
              label={`Keep current: ${label}`}
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
