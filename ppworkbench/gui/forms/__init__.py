"""Forms made of parameter declarations."""
