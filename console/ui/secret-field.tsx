import { Eye, EyeOff, Pencil, Trash2, Undo2, WandSparkles } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { t } from '../words/t.ts'
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

type Props = {
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
}

/**
 * A write-only secret. If one is set, the field says so and leaves it unchanged unless it is replaced; a new or
 * replaced secret is in the form under `name`. A removed one is in the form as `<name>:remove`.
 */
export const SecretField = (props: Props) => {
  const [state, setState] = useState<State>(props.isSet ? 'kept' : 'entered')
  /** Set once the pressed button is gone: its replacement takes focus. */
  const [hasMoved, setMoved] = useState(false)
  const go = (next: State) => {
    setState(next)
    setMoved(true)
  }
  return state === 'entered' ? (
    <EnteredSecret {...props} hasFocus={hasMoved} onKeep={() => go('kept')} />
  ) : (
    <StoredSecret key={state} {...props} isRemoved={state === 'removed'} hasFocus={hasMoved} onGo={go} />
  )
}

/** A secret that is set, and stays or is removed with the next save. */
const StoredSecret = ({
  label,
  name,
  isOptional = false,
  isRemoved,
  hasFocus,
  onGo,
}: Props & { isRemoved: boolean; hasFocus: boolean; onGo: (next: State) => void }) => {
  const id = useId()
  const problem = useFieldProblem(name)
  const word = isRemoved ? t`Keep` : t`Replace`
  return (
    <div className="field">
      <span className="field__label">{label}</span>
      <div className="row row--wrap">
        <input type="hidden" name={`${name}:${isRemoved ? 'remove' : 'kept'}`} value="yes" />
        {isRemoved ? (
          <span className="text-soft" role="status">
            {t`Will be removed when you save.`}
          </span>
        ) : (
          <Badge tone="ok">{t`:state:Set`}</Badge>
        )}
        <Button
          size="small"
          variant="ghost"
          icon={isRemoved ? Undo2 : Pencil}
          aria-label={`${word}: ${label}`}
          aria-describedby={problem && id}
          data-invalid={problem !== undefined || undefined}
          autoFocus={hasFocus}
          onClick={() => onGo(isRemoved ? 'kept' : 'entered')}
        >
          {word}
        </Button>
        {isOptional && !isRemoved && (
          <Button
            size="small"
            variant="ghost"
            icon={Trash2}
            aria-label={t`Remove: ${label}`}
            onClick={() => onGo('removed')}
          >
            {t`Remove`}
          </Button>
        )}
      </div>
      {problem && (
        <p id={id} className="field__problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

/** The input for a new secret, hidden until shown. */
const EnteredSecret = ({
  label,
  name,
  hint,
  placeholder,
  isSet = false,
  isOwn = false,
  maxLength,
  hasFocus,
  onKeep,
}: Props & { hasFocus: boolean; onKeep: () => void }) => {
  const [isShown, setShown] = useState(false)
  const [text, setText] = useState('')
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
            // biome-ignore lint/a11y/noAutofocus: see SecretField
            autoFocus={hasFocus}
            className="input text-mono"
            placeholder={placeholder}
            maxLength={maxLength}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {isOwn && (
            <IconButton
              icon={WandSparkles}
              label={t`Generate: ${label}`}
              onClick={() => {
                setText(makeSecret())
                setShown(true)
              }}
            />
          )}
          <IconButton
            icon={isShown ? EyeOff : Eye}
            label={`${isShown ? t`Hide` : t`Show`}: ${label}`}
            onClick={() => setShown(!isShown)}
          />
          {isSet && <IconButton icon={Undo2} label={t`Keep current: ${label}`} onClick={onKeep} />}
        </div>
      )}
    </FormField>
  )
}
