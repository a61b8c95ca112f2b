import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { t } from '../../words/t.ts'

const PLACES = {
  channels: ['/settings/channels', t`Channels`],
  kinds: ['/settings/channels/add', t`Channel types`],
  businessHours: ['/settings/business-hours', t`Business hours`],
  teams: ['/settings/teams', t`Teams`],
  actions: ['/settings/actions', t`Actions`],
  mcpServers: ['/settings/actions/mcp-servers', t`MCP servers`],
  webhooks: ['/settings/webhooks', t`Webhooks`],
  aiAgent: ['/settings/ai-agent', t`AI agent`],
  aiTests: ['/settings/ai-agent/tests', t`Tests`],
} as const

/** Back to the list that a page belongs to. */
export const BackLink = ({ to = 'channels' }: { to?: keyof typeof PLACES }) => (
  <Link to={PLACES[to][0]} className="back-link">
    <ChevronLeft size={14} aria-hidden />
    {PLACES[to][1]}
  </Link>
)
