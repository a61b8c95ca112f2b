import { DataTable } from '../../ui/data-table.tsx'
import { Section } from '../../ui/page.tsx'

type Row = { what: string; isSent: boolean; how: string }

/** As gathered by server/domain/ai/turn/prepare-turn.ts. */
const ROWS: Row[] = [
  {
    what: 'The conversation',
    isSent: true,
    how: 'Its latest messages, and a line about each of the last three times that it was open before. Card, bank account and ID numbers, passwords and codes are replaced where they’re recognized; email addresses and phone numbers only if you choose so under Privacy on the AI agent’s page.',
  },
  {
    what: 'The customer',
    isSent: true,
    how: 'Name and country, and the tags and custom fields that you open to the agent. No fields from web chat and unverified email, where anyone could claim to be them.',
  },
  {
    what: 'The situation',
    isSent: true,
    how: 'Channel, subject, date and time, and whether your team is there',
  },
  {
    what: 'Knowledge',
    isSent: true,
    how: 'What it finds of your articles and answers that this customer may see. For drafts, internal ones too. With an embedding model: all published articles and phrasings, and each question.',
  },
  {
    what: 'Your instructions',
    isSent: true,
    how: 'With your workspace’s name, the rules that apply to this customer, and what a flow wants to know',
  },
  {
    what: 'What it may use',
    isSent: true,
    how: 'Names of the fields, tags, flows and actions that you open to it, what was asked of these actions, and what they returned',
  },
  { what: 'Other conversations', isSent: false, how: '' },
  { what: 'Internal notes', isSent: false, how: '' },
  {
    what: 'Files',
    isSent: false,
    how: 'Only their names and types, unless you send customers’ pictures: see Privacy on the AI agent’s page',
  },
  {
    what: 'IDs, keys, and your team’s names and emails',
    isSent: false,
    how: 'The customer is identified by a pseudonym',
  },
]

/** What leaves this server with each request to a model, and what does not. */
export const ModelData = () => (
  <Section
    title="What is sent"
    about="To the address above, for each reply, draft, summary and rewritten text. A reply’s details in the inbox show what was sent. The provider’s own rules apply to it there."
  >
    <DataTable
      label="What is sent to the model"
      rows={ROWS}
      keyOf={({ what }) => what}
      columns={[
        { id: 'what', head: 'Data', cell: ({ what }) => what },
        { id: 'sent', head: 'Sent', cell: ({ isSent }) => (isSent ? 'Yes' : 'No'), width: '6rem' },
        { id: 'how', head: 'Detail', cell: ({ how }) => how || null },
      ]}
    />
  </Section>
)
