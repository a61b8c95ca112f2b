// What an admin looks at before a tool is switched on, and what it may do then.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import type { McpServer, McpServerAnswer, McpTool, ToolApproval } from '../../state/mcp.ts'
import { useApi } from '../../state/session.tsx'
import type { Action } from '../../state/types.ts'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/lazy-dialogs.ts'
import { Fact, Facts } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { CONFIRMS, NEEDS, RISKS } from './action-terms.ts'
import { ParameterSource, type Source } from './parameter-source.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

type Props = { server: McpServer; tool: McpTool; onClose: () => void }
type Terms = Pick<ToolApproval, 'name' | 'risk' | 'needs' | 'confirm'> & {
  parameters?: Action['parameters']
}

export const ApproveTool = (props: Props) =>
  props.tool.actionId ? (
    <Again {...props} actionId={props.tool.actionId} />
  ) : (
    <Approve {...props} terms={null} />
  )

/** With what was chosen before. */
const Again = ({ actionId, ...props }: Props & { actionId: string }) => {
  const { data } = useSetting<{ action: Action }>(`action ${actionId}`, `/actions/${actionId}`)
  return data ? <Approve {...props} terms={data.action} /> : null
}

const firstTerms = ({ name: server }: McpServer, { title, name }: McpTool): Terms => ({
  name: `${server}: ${title ?? name}`.slice(0, 60),
  ...{ risk: 'write', needs: 'known', confirm: 'customer' },
})

const Approve = ({ server, tool, onClose, terms }: Props & { terms: Terms | null }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [draft, setDraft] = useState<Terms>(terms ?? firstTerms(server, tool))
  const { name, risk, needs, confirm } = draft
  const [description, setDescription] = useState(tool.ownDescription ?? '')
  const [sources, setSources] = useState<Record<string, Source>>(
    Object.fromEntries((terms?.parameters ?? []).map(({ name, fromContact }) => [name, fromContact])),
  )
  const set = (change: Partial<Terms>) => setDraft({ ...draft, ...change })
  const setSource = (parameter: string, source: Source) => {
    setSources({ ...sources, [parameter]: source })
    if (source && needs === 'none') set({ needs: 'known' })
  }
  const save = useMutation<McpServerAnswer, ApiError, ToolApproval>({
    mutationFn: (approval) => api.post(`/mcp-servers/${server.id}/switch-on`, approval),
    onSuccess: async () => {
      await changed()
      toast(tool.state === 'on' ? t`Saved` : t`Switched on`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={tool.title ?? tool.name}
      about={t`Read what the server says about it. The AI agent can use it once it’s on and allowed in its instructions.`}
      submitLabel={tool.state === 'on' ? t`Save` : t`Switch on`}
      save={save}
      onClose={onClose}
      onSubmit={() =>
        save.mutate({
          ...{ tool: tool.name, hash: tool.hash, name: name.trim(), risk, needs, confirm },
          description: description.trim() || null,
          fromContact: chosen(tool, sources),
        })
      }
    >
      <div className="stack stack--fields">
        <ServersWords tool={tool} />
        <TextField
          label={t`Name`}
          name="name"
          value={name}
          maxLength={60}
          hint={t`Shown to customers who confirm it.`}
          onChange={({ target }) => set({ name: target.value })}
        />
        <TextArea
          label={t`Your description for the AI agent`}
          name="description"
          rows={3}
          value={description}
          maxLength={1_000}
          hint={t`Optional. Replaces the server’s.`}
          onChange={({ target }) => setDescription(target.value)}
        />
        <Choice label={t`What it does`} options={RISKS} value={risk} onChoose={(risk) => set({ risk })} />
        <Choice label={t`For whom`} options={NEEDS} value={needs} onChoose={(needs) => set({ needs })} />
        {tool.parameters.map((parameter) => (
          <ParameterSource
            key={parameter.name}
            label={t`AI agent takes ${parameter.name} from`}
            source={sources[parameter.name]}
            onChange={(source) => setSource(parameter.name, source)}
          />
        ))}
        <Choice
          label={t`Who confirms each call`}
          options={CONFIRMS}
          value={confirm}
          hint={
            risk === 'write' && confirm === 'none'
              ? t`The customer confirms whatever the AI agent wants to change. Flows don’t ask.`
              : undefined
          }
          onChoose={(confirm) => set({ confirm })}
        />
      </div>
    </FormDialog>
  )
}

/** A tool that changed may have other parameters by now. */
const chosen = ({ parameters }: McpTool, sources: Record<string, Source>) =>
  Object.fromEntries(
    parameters.flatMap(({ name }) => {
      const source = sources[name]
      return source ? [[name, source] as const] : []
    }),
  )

const Choice = <V extends string>({
  options,
  onChoose,
  ...field
}: {
  label: string
  hint?: string | undefined
  value: V
  options: readonly { value: V; label: string }[]
  onChoose: (value: V) => void
}) => (
  <Select
    {...field}
    options={[...options]}
    onChange={({ target }) => onChoose(options.find(({ value }) => value === target.value)!.value)}
  />
)

const ServersWords = ({ tool: { name, description, parameters, omitted } }: { tool: McpTool }) => (
  <Facts>
    <Fact name={t`Tool`}>
      <code className="text-mono">{name}</code>
    </Fact>
    <Fact name={t`Description`}>
      <bdi className="user-text">{description || <span className="text-soft">{t`None`}</span>}</bdi>
    </Fact>
    <Fact name={t`Parameters`}>
      {parameters.length === 0 ? (
        <span className="text-soft">{t`None`}</span>
      ) : (
        parameters.map(({ name, type, isRequired, options }) => (
          <div key={name}>
            <code className="text-mono">{name}</code>
            {` · ${type === 'enum' ? (options ?? []).join(', ') : type}${isRequired ? '' : t` · optional`}`}
          </div>
        ))
      )}
    </Fact>
    {omitted.length > 0 && <Fact name={t`Never sent`}>{omitted.join(', ')}</Fact>}
  </Facts>
)
