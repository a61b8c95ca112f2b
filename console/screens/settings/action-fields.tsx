import type { NewAction } from '../../state/types.ts'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const SECONDS = [1, 2, 5, 10]

export const ActionFields = ({
  draft,
  isNew,
  onChange,
}: {
  draft: NewAction
  isNew: boolean
  onChange: (change: Partial<NewAction>) => void
}) => (
  <div className="stack stack--fields">
    <TextField
      label={t`Name`}
      name="name"
      value={draft.name}
      maxLength={60}
      placeholder={t`e.g. Look up an order`}
      autoFocus={isNew}
      onChange={({ target }) => onChange({ name: target.value })}
    />
    <Select
      label={t`Method`}
      name="method"
      value={draft.method}
      options={METHODS.map((value) => ({ value, label: value }))}
      onChange={({ target }) => {
        const method = METHODS.find((one) => one === target.value)!
        onChange({ method, isRepeatable: method === 'GET', risk: method === 'GET' ? 'read' : 'write' })
      }}
    />
    <TextField
      label={t`Address`}
      name="url"
      dir="ltr"
      className="text-mono"
      value={draft.url}
      maxLength={2_000}
      spellCheck={false}
      placeholder={t`https://api.example.com/orders/{{number}}`}
      hint={t`The host is fixed. Use {{parameter}} in the path, or as a value in the query.`}
      onChange={({ target }) => onChange({ url: target.value })}
    />
    <Select
      label={t`Time limit`}
      value={String(draft.timeoutMs)}
      options={[...new Set([...SECONDS.map((seconds) => seconds * 1_000), draft.timeoutMs])]
        .sort((a, b) => a - b)
        .map((ms) => ({ value: String(ms), label: ms === 1_000 ? t`1 second` : t`${ms / 1_000} seconds` }))}
      onChange={({ target }) => onChange({ timeoutMs: Number(target.value) })}
    />
    <Checkbox
      label={t`Safe to repeat`}
      hint={t`Calling it twice does no more than calling it once. If the outcome of a call is unknown, it’s repeated; otherwise the flow goes on as if it had failed.`}
      checked={draft.isRepeatable}
      onChange={({ target }) => onChange({ isRepeatable: target.checked })}
    />
  </div>
)
