import { Page } from '../../ui/page.tsx'

export const Inbox = () => <Page title="Inbox">{null}</Page>
