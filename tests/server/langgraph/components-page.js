/** A page that shows a component of the service in LangGraph's `LoadExternalComponent`. */
import { Client } from '@langchain/langgraph-sdk';
import { LoadExternalComponent } from '@langchain/langgraph-sdk/react-ui';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const apiUrl = new URLSearchParams(location.search).get('api');
const stream = { client: new Client({ apiUrl, apiKey: null }), assistantId: 'agent-alias' };
const message = { type: 'ui', id: '1', name: 'weather-component', props: { city: 'Oslo' } };

createRoot(document.getElementById('page')).render(
  createElement(LoadExternalComponent, { stream, message, fallback: 'loading' }),
);
