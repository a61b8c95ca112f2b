// What happened to a conversation, in the page's language.
import { loadSaid, said } from '../../state/said.ts'

await loadSaid()

/** What a flow did is several things in a row, each with words of its own. */
const SaidLine = ({ english, metadata }: { english: string; metadata: Record<string, unknown> | null }) => {
  const { flowName, parts } = metadata ?? {}
  return Array.isArray(parts) && typeof flowName === 'string'
    ? `${flowName}: ${parts.map((part) => said(String(part))).join(', ')}`
    : said(english)
}
export default SaidLine
