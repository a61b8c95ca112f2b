// The tools of an MCP server, as they were copied, and which of them are on.
import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { McpServer, McpServerAnswer, McpTool } from '../../state/mcp.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { Section } from '../../ui/page.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { ApproveTool } from './approve-tool.tsx'
import { ToolState } from './tool-state.tsx'
import { useSettingsChanged } from './use-setting.ts'

export const McpTools = ({ server, tools }: { server: McpServer; tools: McpTool[] }) => {
  const [opened, setOpened] = useState<string | null>(null)
  const approving = tools.find(({ name }) => name === opened)
  return (
    <Section
      title={t`Tools`}
      about={t`A tool that changes on the server is switched off until you look at it again.`}
    >
      {tools.length === 0 ? (
        <p className="text-soft">
          {server.problem ? t`No tools were copied.` : t`This server has no tools.`}
        </p>
      ) : (
        <ItemList label={t`Tools`}>
          {tools.map((tool) => (
            <Tool key={tool.name} server={server} tool={tool} onOpen={() => setOpened(tool.name)} />
          ))}
        </ItemList>
      )}
      {server.skipped > 0 && (
        <p className="text-soft">
          {rich`${server.skipped} more were left out: at most 100 are copied, and only those with plain names.`}
        </p>
      )}
      <Suspense>
        {approving && <ApproveTool server={server} tool={approving} onClose={() => setOpened(null)} />}
      </Suspense>
    </Section>
  )
}

const NOTES = {
  on: null,
  off: null,
  changed: t`It changed. Look at it again.`,
  gone: t`The server doesn’t have it anymore.`,
} as const

const Tool = ({ server, tool, onOpen }: { server: McpServer; tool: McpTool; onOpen: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const turnOff = useMutation({
    mutationFn: () => api.post<McpServerAnswer>(`/mcp-servers/${server.id}/switch-off`, { tool: tool.name }),
    onSuccess: async () => {
      await changed()
      toast(t`Switched off`)
    },
    onError: toastError,
  })
  const note = tool.unusable ? t`Can’t be used. ${tool.unusable}` : NOTES[tool.state]
  const { state, unusable, title, name } = tool
  return (
    <Item
      title={<bdi>{title ?? name}</bdi>}
      about={
        <>
          {title && <code className="text-mono">{name}</code>}
          {title && note && ' · '}
          {note}
        </>
      }
      meta={<ToolState state={state} />}
      actions={
        <>
          {state === 'on' && (
            <Button isBusy={turnOff.isPending} onClick={() => turnOff.mutate()}>
              {t`Switch off`}
            </Button>
          )}
          {!unusable && state !== 'gone' && (
            <Button onClick={onOpen}>
              {state === 'on' ? t`Change` : state === 'changed' ? t`Review` : t`Switch on`}
            </Button>
          )}
        </>
      }
    />
  )
}
