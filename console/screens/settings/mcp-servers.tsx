import { Plug, Plus } from 'lucide-react'
import type { McpServerSummary } from '../../state/mcp.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { BackLink } from './back-link.tsx'
import { useSetting } from './use-setting.ts'

export const McpServersSettings = () => {
  const { data, error, refetch } = useSetting<{ servers: McpServerSummary[] }>('mcp-servers', '/mcp-servers')
  return (
    <SidePage
      title={t`MCP servers`}
      about={t`Servers whose tools flows and the AI agent can use. Every tool is off until you switch it on.`}
      back={<BackLink to="actions" />}
      actions={
        <ButtonLink
          to="/settings/actions/mcp-servers/$serverId"
          params={{ serverId: 'new' }}
          variant="primary"
          icon={Plus}
        >
          {t`Connect server`}
        </ButtonLink>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : data.servers.length === 0 ? (
        <EmptyState icon={Plug} title={t`No MCP servers yet`}>
          {t`Connect one, look at its tools, then switch on those you need.`}
        </EmptyState>
      ) : (
        <ItemList label={t`MCP servers`}>
          {data.servers.map((server) => (
            <Item
              key={server.id}
              title={<bdi>{server.name}</bdi>}
              about={
                <>
                  <code className="text-mono">{URL.parse(server.url)?.host}</code>
                  {t` · ${server.onCount} of ${server.toolCount} tools on`}
                </>
              }
              meta={<State server={server} />}
              link={{ to: '/settings/actions/mcp-servers/$serverId', params: { serverId: server.id } }}
            />
          ))}
        </ItemList>
      )}
    </SidePage>
  )
}

const State = ({ server: { problem, changedCount } }: { server: McpServerSummary }) => {
  if (problem) return <Badge tone="danger">{t`Not reachable`}</Badge>
  return changedCount > 0 ? <Badge tone="warn">{rich`${changedCount} changed`}</Badge> : null
}
