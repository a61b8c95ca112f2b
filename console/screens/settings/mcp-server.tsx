import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { RefreshCw, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import type { McpServer, McpServerAnswer, McpServerChange, NewMcpServer } from '../../state/mcp.ts'
import { useApi } from '../../state/session.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { DeleteDialog } from '../../ui/lazy-dialogs.ts'
import { Section } from '../../ui/page.tsx'
import { SecretField } from '../../ui/secret-field.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { BackLink } from './back-link.tsx'
import { McpTools } from './mcp-tools.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

/** One of the workspace's MCP servers, or a new one. */
export const McpServerSettings = () => {
  const { serverId } = useParams({ from: '/signed/settings/actions/mcp-servers/$serverId' })
  return serverId === 'new' ? <Connect /> : <Stored key={serverId} serverId={serverId} />
}

/** Undefined: the stored one stays. */
const tokenIn = (values: Record<string, string>): string | null | undefined =>
  values['token:remove'] ? null : values.token?.trim() || undefined

const NameField = ({ value }: { value: string }) => (
  <TextField
    label={t`Name`}
    name="name"
    defaultValue={value}
    maxLength={40}
    placeholder={t`e.g. Acme Shop`}
    autoFocus={value === ''}
  />
)

const TokenField = ({ isSet }: { isSet: boolean }) => (
  <SecretField
    label={t`Token`}
    name="token"
    isSet={isSet}
    isOptional
    maxLength={4_000}
    hint={t`Encrypted, and can’t be viewed. Leave it empty if the server needs none.`}
  />
)

const Connect = () => {
  const api = useApi()
  const changed = useSettingsChanged()
  const navigate = useNavigate()
  const connect = useMutation<McpServerAnswer, ApiError, NewMcpServer>({
    mutationFn: (given) => api.post('/mcp-servers', given),
    onSuccess: async ({ server }) => {
      toast(t`Server connected`)
      await navigate({
        to: '/settings/actions/mcp-servers/$serverId',
        params: { serverId: server.id },
        replace: true,
      })
      await changed()
    },
  })
  return (
    <SidePage title={t`Connect MCP server`} back={<BackLink to="mcpServers" />}>
      <Form
        error={connect.error}
        onSubmit={(values) => {
          const token = tokenIn(values)
          const { name = '', url = '' } = values
          connect.mutate({ name: name.trim(), url: url.trim(), ...(token && { token }) })
        }}
      >
        <Section>
          <div className="stack stack--fields">
            <NameField value="" />
            <TextField
              label={t`Address`}
              name="url"
              dir="ltr"
              className="text-mono"
              maxLength={500}
              spellCheck={false}
              placeholder={t`https://mcp.example.com/mcp`}
              hint={t`Its tools are copied and stay off. No customer data is sent.`}
            />
            <TokenField isSet={false} />
          </div>
        </Section>
        <div className="row">
          <Button type="submit" variant="primary" isBusy={connect.isPending}>
            {t`Connect server`}
          </Button>
        </div>
      </Form>
    </SidePage>
  )
}

const Stored = ({ serverId }: { serverId: string }) => {
  const path = `/mcp-servers/${serverId}`
  const { data, error, refetch } = useSetting<McpServerAnswer>(`mcp-server ${serverId}`, path)
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  return data ? <Shown {...data} /> : <Skeleton lines={6} />
}

const Shown = ({ server, tools }: McpServerAnswer) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const navigate = useNavigate()
  const [isRemoving, setRemoving] = useState(false)
  const check = useMutation({
    mutationFn: () => api.post<McpServerAnswer>(`/mcp-servers/${server.id}/check`, {}),
    onSuccess: changed,
    onError: toastError,
  })
  return (
    <SidePage
      title={<bdi>{server.name}</bdi>}
      back={<BackLink to="mcpServers" />}
      actions={
        <>
          <Button icon={RefreshCw} isBusy={check.isPending} onClick={() => check.mutate()}>
            {t`Check now`}
          </Button>
          <Button icon={Trash2} onClick={() => setRemoving(true)}>
            {t`Disconnect`}
          </Button>
        </>
      }
    >
      {server.problem && <Banner tone="danger">{server.problem.message}</Banner>}
      <McpTools server={server} tools={tools} />
      <Edit key={server.token} server={server} />
      <Suspense>
        {isRemoving && (
          <DeleteDialog
            what={t`MCP server`}
            name={server.name}
            onClose={() => setRemoving(false)}
            onDelete={async () => {
              await api.delete(`/mcp-servers/${server.id}`)
              await navigate({ to: '/settings/actions/mcp-servers' })
              await changed()
            }}
          />
        )}
      </Suspense>
    </SidePage>
  )
}

const Edit = ({ server }: { server: McpServer }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const save = useMutation<McpServerAnswer, ApiError, McpServerChange>({
    mutationFn: (change) => api.put(`/mcp-servers/${server.id}`, change),
    onSuccess: async () => {
      await changed()
      toast(t`Saved`)
    },
  })
  return (
    <Form
      error={save.error}
      onSubmit={(values) => {
        const token = tokenIn(values)
        save.mutate({ name: (values.name ?? '').trim(), ...(token !== undefined && { token }) })
      }}
    >
      <Section title={t`Connection`} about={<code className="text-mono">{server.url}</code>}>
        <div className="stack stack--fields">
          <NameField value={server.name} />
          <TokenField isSet={server.token === 'stored'} />
        </div>
      </Section>
      <div className="row">
        <Button type="submit" isBusy={save.isPending}>
          {t`Save`}
        </Button>
      </div>
    </Form>
  )
}
