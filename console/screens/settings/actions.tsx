import { Plug, Plus } from 'lucide-react'
import type { ActionSummary } from '../../state/types.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { ToolState } from './tool-state.tsx'
import { useSetting } from './use-setting.ts'

export const ActionsSettings = () => {
  const { data, error, refetch } = useSetting<{ actions: ActionSummary[] }>('actions', '/actions')
  return (
    <SidePage
      title={t`Actions`}
      about={t`What flows and the AI agent can do in your other systems, such as looking up an order.`}
      actions={
        <ButtonLink
          to="/settings/actions/$actionId"
          params={{ actionId: 'new' }}
          variant="primary"
          icon={Plus}
        >
          {t`New action`}
        </ButtonLink>
      }
    >
      <ItemList label={t`Connections`}>
        <Item
          link={{ to: '/settings/actions/mcp-servers' }}
          title={t`MCP servers`}
          about={t`Connect a server and choose which of its tools become actions.`}
        />
      </ItemList>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : data.actions.length === 0 ? (
        <EmptyState icon={Plug} title={t`No actions yet`}>
          {t`Create one, try it here, then call it from a flow.`}
        </EmptyState>
      ) : (
        <ItemList label={t`Actions`}>
          {data.actions.map(({ id, name, method, host, parameters, tool }) => (
            <Item
              key={id}
              title={<bdi>{name}</bdi>}
              about={
                <>
                  <code className="text-mono">
                    {tool ? 'MCP' : method} {host}
                  </code>
                  {parameters.length > 0 && ` · ${parameters.map(({ name }) => name).join(', ')}`}
                </>
              }
              meta={tool && <ToolState state={tool.state} />}
              link={
                tool
                  ? { to: '/settings/actions/mcp-servers/$serverId', params: { serverId: tool.serverId } }
                  : { to: '/settings/actions/$actionId', params: { actionId: id } }
              }
            />
          ))}
        </ItemList>
      )}
    </SidePage>
  )
}
