import { Plug, Plus } from 'lucide-react'
import type { McpServerSummary } from '../../state/mcp.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { BackLink } from './back-link.tsx'
import { useSetting } from './use-setting.ts'

export const McpServersSettings = () => {
  const { data, error, refetch } = useSetting<{ servers: McpServerSummary[] }>('mcp-servers', '/mcp-servers')
  return (
    <SidePage
      title="MCP servers"
      about="Servers whose tools flows and the AI agent can use. Every tool is off until you switch it on."
      back={<BackLink to="actions" />}
      actions={
        <ButtonLink
          to="/settings/actions/mcp-servers/$serverId"
          params={{ serverId: 'new' }}
          variant="primary"
          icon={Plus}
        >
          Connect server
        </ButtonLink>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : data.servers.length === 0 ? (
        <EmptyState icon={Plug} title="No MCP servers yet">
          Connect one, look at its tools, then switch on those you need.
        </EmptyState>
      ) : (
        <ItemList label="MCP servers">
          {data.servers.map((server) => (
            <Item
              key={server.id}
              title={<bdi>{server.name}</bdi>}
              about={
                <>
                  <code className="text-mono">{URL.parse(server.url)?.host}</code>
                  {` · ${server.onCount} of ${server.toolCount} tools on`}
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
  if (problem) return <Badge tone="danger">Not reachable</Badge>
  return changedCount > 0 ? <Badge tone="warn">{changedCount} changed</Badge> : null
}
