import type { FlowTemplate } from './template.ts'

export const WELCOME_MENU: FlowTemplate = {
  id: 'welcome-menu',
  name: 'Welcome menu',
  about: 'Greets new chats, asks what they are about, and hands over with what the customer said.',
  needs: [],
  beforePublishing: [
    'Customers see your workspace’s name in the greeting. Check that it is the one they know.',
    'With an AI agent, let it take questions: change where “A question” leads to AI.',
  ],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [
      { on: 'message', isFirst: true, channels: ['web', 'whatsapp', 'facebook', 'telegram', 'sms'] },
      { on: 'reopened', channels: ['web', 'whatsapp', 'facebook', 'telegram', 'sms'] },
    ],
    reentry: { after: 'PT12H' },
    oldChoices: 'jump',
    variables: { topic: { type: 'text' }, order: { type: 'text' }, question: { type: 'text' } },
    start: 'welcome',
    blocks: {
      welcome: {
        title: 'Greeting',
        steps: [
          {
            id: 's1',
            type: 'ask',
            answer: 'choice',
            note: 'Whoever writes something else goes straight to the team, so nobody has to repeat themselves.',
            text: {
              en: 'Hi {{contact.firstName|there}}, you’ve reached {{workspace.name}}. What can we help you with?',
              de: 'Guten Tag, hier ist {{workspace.name}}. Wobei können wir Ihnen helfen?',
              es: 'Hola, le damos la bienvenida a {{workspace.name}}. ¿En qué podemos ayudarle?',
              pt: 'Olá! Você está falando com {{workspace.name}}. Como podemos ajudar?',
              fr: 'Bonjour, vous êtes bien chez {{workspace.name}}. Comment pouvons-nous vous aider ?',
            },
            store: 'run.topic',
            options: [
              {
                id: 'order',
                title: {
                  en: 'My order',
                  de: 'Meine Bestellung',
                  es: 'Mi pedido',
                  pt: 'Meu pedido',
                  fr: 'Ma commande',
                },
                also: ['delivery', 'Lieferung', 'envío', 'entrega', 'livraison'],
                goto: 'order',
              },
              {
                id: 'question',
                title: {
                  en: 'A question',
                  de: 'Eine Frage',
                  es: 'Una consulta',
                  pt: 'Uma dúvida',
                  fr: 'Une question',
                },
                goto: 'question',
              },
              {
                id: 'person',
                title: {
                  en: 'Talk to someone',
                  de: 'Mit uns sprechen',
                  es: 'Hablar con alguien',
                  pt: 'Falar com alguém',
                  fr: 'Parler à quelqu’un',
                },
                goto: 'team',
              },
            ],
            retry: { times: 0, then: 'team' },
            timeout: { after: 'PT4H', then: 'end' },
          },
        ],
      },
      order: {
        title: 'Order number',
        steps: [
          {
            id: 's2',
            type: 'ask',
            answer: 'text',
            text: {
              en: 'Sure. What’s your order number? If you don’t have it at hand, just tell us what happened.',
              de: 'Gern. Wie lautet Ihre Bestellnummer? Wenn Sie sie nicht zur Hand haben, schildern Sie uns einfach, worum es geht.',
              es: 'Claro. ¿Cuál es su número de pedido? Si no lo tiene a mano, cuéntenos qué ha pasado.',
              pt: 'Claro. Qual é o número do seu pedido? Se não estiver com ele, conte o que aconteceu.',
              fr: 'Bien sûr. Quel est votre numéro de commande ? Si vous ne l’avez pas, dites-nous ce qui se passe.',
            },
            store: 'run.order',
            retry: { times: 1, then: 'team' },
            timeout: { after: 'PT4H', then: 'end' },
          },
        ],
        next: 'team',
      },
      question: {
        title: 'Question',
        steps: [
          {
            id: 's3',
            type: 'ask',
            answer: 'text',
            text: {
              en: 'Happy to help. What would you like to know?',
              de: 'Sehr gern. Was möchten Sie wissen?',
              es: 'Con gusto. ¿Qué desea saber?',
              pt: 'Com prazer. O que você gostaria de saber?',
              fr: 'Avec plaisir. Que souhaitez-vous savoir ?',
            },
            store: 'run.question',
            retry: { times: 1, then: 'team' },
            timeout: { after: 'PT4H', then: 'end' },
          },
        ],
        next: 'team',
      },
      team: {
        title: 'Over to the team',
        steps: [
          {
            id: 's4',
            type: 'people',
            text: {
              en: 'Thank you. Someone from our team will reply here shortly.',
              de: 'Vielen Dank. Jemand aus unserem Team antwortet Ihnen hier in Kürze.',
              es: 'Gracias. Alguien de nuestro equipo le responderá aquí en breve.',
              pt: 'Obrigado! Alguém da nossa equipe vai responder por aqui em breve.',
              fr: 'Merci. Une personne de notre équipe vous répondra ici très vite.',
            },
            summary: 'answers',
          },
        ],
      },
    },
  },
  tests: [
    {
      name: 'An order goes to the team with its number',
      channel: 'whatsapp',
      language: 'en',
      contact: { name: 'Maria Silva' },
      turns: [
        { say: 'hello' },
        {
          expect: { text: 'Hi Maria, you’ve reached', choices: ['order', 'question', 'person'], waits: 's1' },
        },
        { tap: 'order' },
        { expect: { text: 'order number', waits: 's2' } },
        { say: 'AB-12345' },
        {
          expect: {
            text: 'Someone from our team',
            ended: 'completed',
            handedOver: true,
            set: { 'run.topic': 'order', 'run.order': 'AB-12345' },
            never: ['undefined', '{{'],
          },
        },
      ],
    },
    {
      name: 'Whoever writes something else is not asked again',
      channel: 'sms',
      language: 'de',
      turns: [
        { say: 'Guten Morgen' },
        { expect: { text: 'Wobei können wir Ihnen helfen?', waits: 's1' } },
        { say: 'Meine Lampe ist zerbrochen angekommen' },
        { expect: { text: 'Jemand aus unserem Team', endReason: 'handed_over', handedOver: true } },
      ],
    },
  ],
}
