import { DataTable } from '../../ui/data-table.tsx'
import { Section } from '../../ui/page.tsx'

type Row = { what: string; isSent: boolean; how: string }

const ROWS: Row[] = [
  {
    what: 'The conversation',
    isSent: true,
    how: 'Its latest messages, with card numbers and the like removed',
  },
  {
    what: 'The customer',
    isSent: true,
    how: 'Name, language and tags, and the custom fields that you open to the agent',
  },
  {
    what: 'Knowledge',
    isSent: true,
    how: 'What it finds of your articles and answers that this customer may see',
  },
  { what: 'Your instructions', isSent: true, how: 'And the rules that apply to this customer' },
  { what: 'Other conversations', isSent: false, how: '' },
  { what: 'Internal notes', isSent: false, how: '' },
  { what: 'Files', isSent: false, how: 'Only their names and types' },
  { what: 'Ids, keys and your team’s emails', isSent: false, how: 'A customer is named by a pseudonym' },
]

/** What leaves this server with each request to a model, and what does not. */
export const ModelData = () => (
  <Section
    title="What is sent"
    about="To the address above, for each reply. The provider’s own rules apply to it there."
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
