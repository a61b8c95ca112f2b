import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'

const PLACES = {
  channels: ['/settings/channels', 'Channels'],
  kinds: ['/settings/channels/add', 'Channel types'],
  businessHours: ['/settings/business-hours', 'Business hours'],
  teams: ['/settings/teams', 'Teams'],
  actions: ['/settings/actions', 'Actions'],
  mcpServers: ['/settings/actions/mcp-servers', 'MCP servers'],
  webhooks: ['/settings/webhooks', 'Webhooks'],
  aiAgent: ['/settings/ai-agent', 'AI agent'],
  aiTests: ['/settings/ai-agent/tests', 'Tests'],
} as const

/** Back to the list that a page belongs to. */
export const BackLink = ({ to = 'channels' }: { to?: keyof typeof PLACES }) => (
  <Link to={PLACES[to][0]} className="back-link">
    <ChevronLeft size={14} aria-hidden />
    {PLACES[to][1]}
  </Link>
)
